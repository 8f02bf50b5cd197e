import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["dist", "node_modules"] },
  ...tseslint.configs.strict,
  {
    rules: {
      "max-lines": ["error", { max: 650 }],
      "no-console": "error",
      "prefer-const": "error",
      eqeqeq: "error",
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/no-unused-vars": [
        "error",
        { ignoreRestSiblings: true, argsIgnorePattern: "^_", varsIgnorePattern: "^_" },
      ],
      "@typescript-eslint/no-non-null-assertion": "error",
      "@typescript-eslint/no-unused-expressions": ["error", { allowTaggedTemplates: true }],
      "@typescript-eslint/consistent-type-imports": ["error", { fixStyle: "inline-type-imports" }],
      "@typescript-eslint/no-import-type-side-effects": "error",
    },
  },
  {
    files: ["src/**/*.ts", "page/**/*.ts"],
    rules: {
      "max-lines": ["error", { max: 300 }],
      "max-lines-per-function": ["error", { max: 80 }],
    },
  },
  {
    files: ["src/**/*.ts", "page/**/*.ts"],
    rules: { "max-params": ["error", { max: 4 }] },
  },
  {
    files: ["src/**/*.ts", "page/**/*.ts"],
    rules: { "no-nested-ternary": "error" },
  },
  {
    files: ["src/**/*.ts"],
    ignores: ["src/agents/history-api.ts", "src/tidemark/**", "src/cli/**"],
    rules: {
      "no-restricted-properties": [
        "error",
        { object: "Date", property: "now", message: "Time comes in as `now`." },
        { object: "crypto", property: "randomUUID", message: "Ids come in as `newId`." },
        { object: "Math", property: "random", message: "Chance comes in from outside." },
      ],
    },
  },
  {
    files: ["src/cli/**", "test/**", "bench/**", "drill/**", "examples/**", "scripts/**"],
    rules: { "no-console": "off" },
  },
  {
    files: ["test/**", "bench/**", "drill/**", "examples/**"],
    rules: { "@typescript-eslint/no-non-null-assertion": "off" },
  },
);
