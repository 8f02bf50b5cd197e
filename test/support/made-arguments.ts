// Arguments for a function, made from its written types, with one text wherever a text may stand.
import ts from "typescript";
import { anthropic } from "../../src/providers/anthropic/messages.ts";

export type Types = ReadonlyMap<string, ts.InterfaceDeclaration | ts.TypeAliasDeclaration>;
type Make = (text: string) => unknown;

/** What is known by its name: a lens, a message, the screen. */
const KNOWN: Readonly<Record<string, Make>> = {
  Dialect: () => anthropic,
  Message: (text) => ({ role: "user", content: text }),
  Loose: (text) => text,
  ProviderRequest: (text) => ({
    model: "m",
    max_tokens: 100,
    messages: [{ role: "user", content: text }],
  }),
  RegExp: () => /x/u,
  Error: (text) => new Error(text),
  Float32Array: () => new Float32Array(4),
  AbortSignal: () => new AbortController().signal,
};
/** Worlds of their own: a database, a folder, a model. What needs one is measured where it is made. */
const WORLDS =
  /^(?:Store|HistoryStore|Folder|Connection|Workspace|Logbook|Core|Complete|Embed\w*|VectorIndex|TurnIndex|Tidemark|Turn)$/;
const DEEPEST = 6;

export function made(
  node: ts.FunctionDeclaration | ts.ArrowFunction | ts.FunctionExpression,
  source: ts.SourceFile,
  types: Types,
): ((text: string) => unknown[]) | "no text" | undefined {
  let texts = 0;
  const text: Make = (given) => given;

  const named = (name: string, given: readonly ts.TypeNode[], depth: number): Make | undefined => {
    const [first, second] = given;
    const inner = first === undefined ? undefined : of(first, depth + 1);
    if (/^(?:Readonly)?Array$|^Iterable$/.test(name)) return inner && ((said) => [inner(said)]);
    if (/^(?:Readonly)?Set$/.test(name)) return inner && ((said) => new Set([inner(said)]));
    if (/^(?:Readonly|NonNullable|Promise|Pick|Omit)$/.test(name)) return inner;
    if (name === "Partial") return () => ({});
    const value = second === undefined ? undefined : of(second, depth + 1);
    if (/^(?:Readonly)?Map$/.test(name))
      return inner && value && ((said) => new Map([[inner(said), value(said)]]));
    if (name === "Record") return value && ((said) => ({ one: value(said) }));
    const known = KNOWN[name];
    if (known !== undefined) texts += 1;
    if (known !== undefined || WORLDS.test(name)) return known;
    const type = types.get(name);
    if (type === undefined) return undefined;
    if (ts.isTypeAliasDeclaration(type)) return of(type.type, depth + 1);
    const parents = (type.heritageClauses ?? []).flatMap((clause) =>
      clause.types.map((one) =>
        ts.isIdentifier(one.expression) ? named(one.expression.text, [], depth + 1) : undefined,
      ),
    );
    const own = members(type.members, depth);
    if (own === undefined || parents.includes(undefined)) return undefined;
    return (said) => Object.assign({}, ...parents.map((one) => one?.(said)), own(said)) as object;
  };

  const members = (all: readonly ts.TypeElement[], depth: number): Make | undefined => {
    const makes: [string, Make][] = [];
    for (const one of all) {
      if (one.questionToken !== undefined || one.name === undefined || !("text" in one.name))
        continue;
      const make =
        ts.isPropertySignature(one) && one.type !== undefined
          ? of(one.type, depth + 1)
          : ts.isMethodSignature(one)
            ? answering(one.type, depth)
            : undefined;
      if (make === undefined) return undefined;
      makes.push([one.name.text, make]);
    }
    return (said) => Object.fromEntries(makes.map(([name, make]) => [name, make(said)]));
  };

  const answering = (type: ts.TypeNode | undefined, depth: number): Make | undefined => {
    const answer = type === undefined ? () => undefined : of(type, depth + 1);
    return answer && ((said) => () => answer(said));
  };

  const literal = (type: ts.LiteralTypeNode): Make | undefined => {
    if (ts.isStringLiteral(type.literal)) {
      const { text: value } = type.literal;
      return () => value;
    }
    if (ts.isNumericLiteral(type.literal)) {
      const value = Number(type.literal.text);
      return () => value;
    }
    return type.literal.kind === ts.SyntaxKind.NullKeyword
      ? () => null
      : () => type.literal.kind === ts.SyntaxKind.TrueKeyword;
  };

  /** Of several a text, where one may stand. */
  const union = (all: readonly ts.TypeNode[], depth: number): Make | undefined => {
    if (all.some(({ kind }) => kind === ts.SyntaxKind.StringKeyword))
      return of(all.find(({ kind }) => kind === ts.SyntaxKind.StringKeyword) as ts.TypeNode, depth);
    for (const one of all) {
      const make = one.kind === ts.SyntaxKind.UndefinedKeyword ? undefined : of(one, depth + 1);
      if (make !== undefined) return make;
    }
    return undefined;
  };

  function of(type: ts.TypeNode, depth = 0): Make | undefined {
    if (depth > DEEPEST) return undefined;
    switch (type.kind) {
      case ts.SyntaxKind.StringKeyword:
      case ts.SyntaxKind.UnknownKeyword:
        texts += 1;
        return text;
      case ts.SyntaxKind.NumberKeyword:
        return () => 100;
      case ts.SyntaxKind.BooleanKeyword:
        return () => false;
      case ts.SyntaxKind.UndefinedKeyword:
      case ts.SyntaxKind.VoidKeyword:
        return () => undefined;
      case ts.SyntaxKind.ObjectKeyword:
        return () => ({});
    }
    if (ts.isParenthesizedTypeNode(type)) return of(type.type, depth);
    if (ts.isLiteralTypeNode(type)) return literal(type);
    if (ts.isUnionTypeNode(type)) return union(type.types, depth);
    if (ts.isTypeOperatorNode(type) && type.operator === ts.SyntaxKind.ReadonlyKeyword)
      return of(type.type, depth);
    if (ts.isArrayTypeNode(type)) {
      const item = of(type.elementType, depth + 1);
      return item && ((said) => [item(said)]);
    }
    if (ts.isTupleTypeNode(type)) {
      const items = type.elements.map((one) =>
        of(ts.isNamedTupleMember(one) ? one.type : one, depth + 1),
      );
      return items.includes(undefined) ? undefined : (said) => items.map((item) => item?.(said));
    }
    if (ts.isIntersectionTypeNode(type)) {
      const parts = type.types.map((one) => of(one, depth + 1));
      return parts.includes(undefined)
        ? undefined
        : (said) => Object.assign({}, ...parts.map((part) => part?.(said))) as object;
    }
    if (ts.isFunctionTypeNode(type)) return answering(type.type, depth);
    if (ts.isTypeLiteralNode(type)) return members(type.members, depth);
    if (ts.isTypeReferenceNode(type) && ts.isIdentifier(type.typeName))
      return named(type.typeName.text, type.typeArguments ?? [], depth);
    return undefined;
  }

  const makes: (Make | undefined)[] = [];
  for (const parameter of node.parameters) {
    if (
      parameter.questionToken !== undefined ||
      (parameter.initializer !== undefined && parameter.type === undefined)
    )
      break;
    makes.push(parameter.type === undefined ? named("Loose", [], 0) : of(parameter.type));
  }
  if (makes.includes(undefined))
    return /\bstring\b|\btext\b/.test(node.parameters.map((one) => one.getText(source)).join())
      ? undefined
      : "no text";
  return texts === 0 ? "no text" : (said) => makes.map((make) => make?.(said));
}
