/** Made-up secrets of many kinds and look-alikes, drawn from a seed: none was ever valid anywhere. */
export interface Labelled {
  readonly kind: string;
  /** The text a memory might hold, and the part of it that must not be written. */
  readonly text: string;
  readonly secret: string;
}

/** A small generator of our own, so that the same seed gives the same set on every machine. */
export function chance(seed: number): (below: number) => number {
  let state = seed >>> 0 || 1;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const LOWER = "abcdefghijklmnopqrstuvwxyz";
const DIGITS = "0123456789";
const HEX = "0123456789abcdef";
const ALNUM = LOWER + LOWER.toUpperCase() + DIGITS;
const URLSAFE = `${ALNUM}_-`;
const BASE32 = `${LOWER.toUpperCase()}234567`;

type Draw = (below: number) => number;
const run = (draw: Draw, alphabet: string, length: number): string =>
  Array.from({ length }, () => alphabet[draw(alphabet.length)] ?? "").join("");
const pick = <T>(draw: Draw, from: readonly T[]): T => from[draw(from.length)] as T;

const uuid = (draw: Draw): string =>
  `${run(draw, HEX, 8)}-${run(draw, HEX, 4)}-4${run(draw, HEX, 3)}-a${run(draw, HEX, 3)}-${run(draw, HEX, 12)}`;

/** Kinds the package has rules for, in the shape its rules document. */
const PACKAGE_KINDS: Readonly<Record<string, (draw: Draw) => string>> = {
  aws: (draw) => `AKIA${run(draw, BASE32, 16)}`,
  "aws secret": (draw) => `AWS_SECRET_ACCESS_KEY=${run(draw, `${ALNUM}/+`, 40)}`,
  gcp: (draw) => `AIza${run(draw, URLSAFE, 34)}x`,
  npm: (draw) => `npm_${run(draw, ALNUM, 36)}`,
  basicauth: (draw) => `https://deploy:${run(draw, ALNUM, 14)}@git.example.com/app.git`,
  slack: (draw) => `xoxb-${run(draw, DIGITS, 12)}-${run(draw, DIGITS, 12)}-${run(draw, ALNUM, 24)}`,
  "slack hook": (draw) =>
    `https://hooks.slack.com/services/T${run(draw, BASE32, 8)}/B${run(draw, BASE32, 8)}/${run(draw, ALNUM, 24)}`,
  sendgrid: (draw) => `SG.${run(draw, URLSAFE, 22)}.${run(draw, URLSAFE, 43)}`,
  shopify: (draw) => `shpat_${run(draw, HEX, 32)}`,
  github: (draw) => `ghp_${run(draw, ALNUM, 36)}`,
  "github fine": (draw) => `github_pat_${run(draw, ALNUM, 22)}_${run(draw, ALNUM, 59)}`,
  gitlab: (draw) => `glpat-${run(draw, ALNUM, 20)}`,
  grafana: (draw) => `glsa_${run(draw, ALNUM, 32)}_${run(draw, HEX, 8)}`,
  openai: (draw) => `sk-proj-${run(draw, ALNUM, 74)}T3BlbkFJ${run(draw, ALNUM, 74)}`,
  anthropic: (draw) => `sk-ant-api03-${run(draw, URLSAFE, 93)}AA`,
  groq: (draw) => `gsk_${run(draw, ALNUM, 52)}`,
  huggingface: (draw) => `hf_${run(draw, ALNUM, 34)}`,
  linear: (draw) => `lin_api_${run(draw, ALNUM, 40)}`,
  notion: (draw) => `ntn_${run(draw, DIGITS, 11)}${run(draw, ALNUM, 35)}`,
  mysql: (draw) => `mysql://app:${run(draw, ALNUM, 16)}@db.internal:3306/shop`,
  postgres: (draw) => `postgresql://svc:${run(draw, ALNUM, 16)}@10.1.2.3/orders`,
  mongo: (draw) => `mongodb+srv://root:${run(draw, ALNUM, 16)}@cluster0.example.net/main`,
  vault: (draw) => `hvs.${run(draw, URLSAFE, 90)}`,
  databricks: (draw) => `dapi${run(draw, HEX, 32)}`,
  docker: (draw) => `dckr_pat_${run(draw, ALNUM, 27)}`,
  figma: (draw) => `figd_${run(draw, URLSAFE, 40)}`,
  "private key": (draw) =>
    `-----BEGIN RSA PRIVATE KEY-----\n${run(draw, ALNUM, 64)}\n${run(draw, ALNUM, 64)}\n-----END RSA PRIVATE KEY-----`,
  "private key in JSON": (draw) =>
    `-----BEGIN PRIVATE KEY-----\\n${run(draw, ALNUM, 64)}\\n${run(draw, ALNUM, 64)}\\n${run(draw, ALNUM, 30)}==\\n-----END PRIVATE KEY-----`,
  "private key cut off": (draw) =>
    `-----BEGIN OPENSSH PRIVATE KEY-----\n${run(draw, ALNUM, 70)}\n${run(draw, ALNUM, 70)}\n${run(draw, ALNUM, 33)}==`,
  "1password": (draw) => `ops_eyJ${run(draw, ALNUM, 400)}`,
  vercel: (draw) => `vc${pick(draw, ["p", "i", "a", "r", "k"])}_${run(draw, ALNUM, 40)}`,
  cloudflare: (draw) =>
    `cf${pick(draw, ["at", "ut", "k"])}_${run(draw, ALNUM, 40)}${run(draw, HEX, 8)}`,
  tailscale: (draw) =>
    `tskey-${pick(draw, ["api", "auth", "client", "scim", "webhook"])}-${run(draw, ALNUM, 12)}-${run(draw, ALNUM, 24)}`,
  npmrc: (draw) => `//registry.example.com/:_authToken=${run(draw, "0a", 37)}`,
  "user in address": (draw) =>
    `git+https://${run(draw, HEX, 39)}0:x-oauth-basic@git.example.com/lib.git`,
  "password with @": (draw) =>
    `https://svc:${run(draw, ALNUM, 6)}@${run(draw, ALNUM, 6)}@service.example.com/v2`,
  "password with a blank": (draw) =>
    `DATABASE_URL="postgres://app:${run(draw, ALNUM, 5)}! ${run(draw, DIGITS, 2)}${run(draw, ALNUM, 4)}@db.example.com:5432/shop"`,
};

/** Kinds known by their shape or by their name alone. */
const OTHER_KINDS: Readonly<Record<string, (draw: Draw) => string>> = {
  stripe: (draw) => `sk_live_${run(draw, ALNUM, 24)}`,
  telegram: (draw) => `${run(draw, "123456789", 10)}:AA${run(draw, URLSAFE, 33)}`,
  "web token": (draw) =>
    `eyJ${run(draw, URLSAFE, 33)}.eyJ${run(draw, URLSAFE, 60)}.${run(draw, URLSAFE, 43)}`,
  digitalocean: (draw) => `dop_v1_${run(draw, HEX, 64)}`,
  pypi: (draw) => `pypi-AgEIcHlwaS5vcmc${run(draw, URLSAFE, 60)}`,
  mailgun: (draw) => `key-${run(draw, HEX, 32)}`,
  airtable: (draw) => `pat${run(draw, ALNUM, 14)}.${run(draw, HEX, 64)}`,
  supabase: (draw) => `sbp_${run(draw, HEX, 40)}`,
  replicate: (draw) => `r8_${run(draw, ALNUM, 37)}`,
  "azure storage": (draw) =>
    `DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=${run(draw, `${ALNUM}+/`, 86)}==`,
  deepseek: (draw) => `sk-${run(draw, HEX, 32)}`,
  openrouter: (draw) => `sk-or-v1-${run(draw, HEX, 64)}`,
  langsmith: (draw) => `lsv2_pt_${run(draw, HEX, 32)}_${run(draw, HEX, 10)}`,
  langfuse: (draw) => `sk-lf-${uuid(draw)}`,
  elevenlabs: (draw) => `sk_${run(draw, HEX, 48)}`,
  nvidia: (draw) => `nvapi-${run(draw, URLSAFE, 64)}`,
  together: (draw) => `tgp_v1_${run(draw, URLSAFE, 43)}`,
  tavily: (draw) => `tvly-dev-${run(draw, ALNUM, 32)}`,
  firecrawl: (draw) => `fc-${run(draw, HEX, 32)}`,
  e2b: (draw) => `e2b_${run(draw, HEX, 40)}`,
  neon: (draw) => `napi_${run(draw, LOWER + DIGITS, 64)}`,
  resend: (draw) => `re_${run(draw, ALNUM, 8)}_${run(draw, ALNUM, 24)}`,
  sonar: (draw) => `squ_${run(draw, HEX, 40)}`,
  hubspot: (draw) => `pat-na1-${uuid(draw)}`,
  plaid: (draw) => `access-sandbox-${uuid(draw)}`,
  circleci: (draw) => `CCIPAT_${run(draw, ALNUM, 22)}_${run(draw, HEX, 40)}`,
  "age key": (draw) => `AGE-SECRET-KEY-1${run(draw, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)}`,
};

/** Names with a value: how people and files say them. */
const NAMED: readonly ((draw: Draw) => { text: string; secret: string })[] = [
  (draw) => named(run(draw, ALNUM, 12) + run(draw, DIGITS, 2), (value) => `DB_PASSWORD=${value}`),
  (draw) =>
    named(
      `${pick(draw, ["Sommer", "tiger", "Berlin", "hunter"])}${run(draw, DIGITS, 4)}!`,
      (value) => `The password is ${value}`,
    ),
  (draw) => named(run(draw, ALNUM, 31) + run(draw, DIGITS, 1), (value) => `"api_key": "${value}"`),
  (draw) => named(run(draw, HEX, 40), (value) => `client_secret: ${value}`),
  (draw) =>
    named(
      run(draw, URLSAFE, 39) + run(draw, DIGITS, 1),
      (value) => `Authorization: Bearer ${value}`,
    ),
  (draw) =>
    named(
      run(draw, ALNUM, 23) + run(draw, DIGITS, 1),
      (value) => `export SESSION_TOKEN='${value}'`,
    ),
  (draw) =>
    named(
      run(draw, ALNUM, 17) + run(draw, DIGITS, 1),
      (value) => `my access token is ${value} for now`,
    ),
  (draw) =>
    named(
      run(draw, `${ALNUM}+/`, 42) + run(draw, DIGITS, 1),
      (value) => `signing_key = "${value}="`,
    ),
  (draw) =>
    named(
      `${run(draw, LOWER, 5)}-${run(draw, DIGITS, 3)}-${run(draw, LOWER, 5)}`,
      (value) => `passphrase: ${value}`,
    ),
  (draw) =>
    named(run(draw, ALNUM, 20) + run(draw, DIGITS, 2), (value) => `apiToken=${value}&page=2`),
  (draw) =>
    named(`0x${run(draw, HEX, 64)}`, (value) => `The private key of the wallet is ${value}`),
  (draw) =>
    named(`${run(draw, ALNUM, 22)}${run(draw, DIGITS, 2)}`, (value) => `API 密钥：${value}`),
  (draw) => named(`0x${run(draw, HEX, 64)}`, (value) => `PRIVATE_KEY=${value}`),
  (draw) =>
    named(
      `${run(draw, LOWER, 5)}${run(draw, DIGITS, 2)}@${run(draw, DIGITS, 2)}!`,
      (value) => `mysql --user=app --password=${value} --host=db.example.com`,
    ),
  (draw) =>
    named(
      run(draw, `${ALNUM}`, 12) + run(draw, DIGITS, 2),
      (value) => `Server=db.example.com;Database=shop;Uid=app;Pwd=${value};`,
    ),
  (draw) =>
    named(
      `${run(draw, ALNUM, 14)}${run(draw, DIGITS, 2)}`,
      (value) => `kind: Secret\ndata:\n  username: YWRtaW4=\n  password: ${value}\n`,
    ),
];
const named = (secret: string, say: (value: string) => string) => ({ secret, text: say(secret) });

const AROUND: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `The deploy uses ${text} since Monday.`,
  (text) => `Remember: ${text}`,
  (text) => `- **note**: run it with ${text} (staging)`,
];

const essence = (made: string): string =>
  /:\/\/([^:]+):x-oauth-basic@/.exec(made)?.[1] ??
  /:_authToken=(.+)$/.exec(made)?.[1] ??
  /:\/\/[^:]+:([^/]+)@/.exec(made)?.[1] ??
  /AccountKey=(.+)$/.exec(made)?.[1] ??
  /^AWS_SECRET_ACCESS_KEY=(.+)$/.exec(made)?.[1] ??
  made;

/** `each` of every kind. */
export function positives(each: number, seed = 7): Labelled[] {
  const draw = chance(seed);
  const shaped = Object.entries({ ...PACKAGE_KINDS, ...OTHER_KINDS }).flatMap(([kind, make]) =>
    Array.from({ length: each }, () => {
      const made = make(draw);
      return { kind, secret: essence(made), text: pick(draw, AROUND)(made) };
    }),
  );
  const byName = NAMED.flatMap((make, index) =>
    Array.from({ length: each }, () => ({ kind: `named ${index}`, ...make(draw) })).map(
      ({ text, ...rest }) => ({ ...rest, text: pick(draw, AROUND)(text) }),
    ),
  );
  return [...shaped, ...byName];
}

const WORDS = [
  "the",
  "build",
  "token",
  "password",
  "key",
  "was",
  "rotated",
  "deploy",
  "session",
  "cache",
  "secret",
  "page",
  "user",
  "header",
  "limit",
  "counts",
  "field",
];
const LOOK_ALIKES: readonly ((draw: Draw) => string)[] = [
  (draw) => `Fixed in commit ${run(draw, HEX, 40)}.`,
  (draw) => `See ${run(draw, HEX, 7)}..${run(draw, HEX, 7)} on main`,
  (draw) =>
    `request id ${run(draw, HEX, 8)}-${run(draw, HEX, 4)}-4${run(draw, HEX, 3)}-a${run(draw, HEX, 3)}-${run(draw, HEX, 12)} failed`,
  (draw) => `sha256:${run(draw, HEX, 64)}`,
  (draw) => `integrity sha512-${run(draw, `${ALNUM}+/`, 86)}==`,
  (draw) => `data:image/png;base64,iVBORw0KGgo${run(draw, `${ALNUM}+/`, 200)}`,
  (draw) => `etag "${run(draw, HEX, 32)}"`,
  (draw) =>
    `The file /srv/app/${run(draw, LOWER, 8)}/${run(draw, LOWER, 12)}.ts was changed on 2026-11-${10 + draw(20)}`,
  (draw) =>
    `https://example.com/${run(draw, LOWER, 6)}/${run(draw, ALNUM, 16)}?page=${draw(90)}&sort=asc`,
  (draw) => `max_tokens: ${1000 + draw(9000)}, tokens=${draw(99999)}, token count ${draw(99999)}`,
  (draw) => `message id toolu_${run(draw, ALNUM, 24)}`,
  (draw) =>
    `The ${pick(draw, ["password", "token", "API key", "secret"])} ${pick(draw, ["is required", "is stored in the vault", "has expired", "was missing", "must be rotated", "field was renamed", "comes from the environment"])}.`,
  (draw) =>
    `const ${pick(draw, ["token", "password", "apiKey", "secret"])} = ${pick(draw, ["process.env.TOKEN", "getToken()", "config.auth.token", "await readSecret(name)", "req.headers.authorization", "undefined", "options.password ?? ''"])};`,
  (draw) =>
    `${pick(draw, ["token: string", "password?: string;", "apiKey: z.string().min(1)", "secret: Buffer", "PASSWORD: <your-password>", "API_KEY=your_api_key_here", "password=${DB_PASSWORD}", "token: {{ secrets.TOKEN }}"])} ${run(draw, LOWER, 4)}`,
  (draw) => Array.from({ length: 9 }, () => pick(draw, WORDS)).join(" "),
  (draw) => `version 1.${draw(40)}.${draw(20)}-rc.${draw(9)}+build.${run(draw, HEX, 8)}`,
  (draw) => `trace ${run(draw, HEX, 32)} span ${run(draw, HEX, 16)}`,
  (draw) => `MD5 (${run(draw, LOWER, 6)}.iso) = ${run(draw, HEX, 32)}`,
  (draw) => `id: ${run(draw, LOWER + DIGITS, 25)}, at 17${run(draw, DIGITS, 11)}`,
  (draw) =>
    `private_key: "-----BEGIN PRIVATE KEY-----\\n${pick(draw, ["...", "xxx", "YOUR_PRIVATE_KEY_HERE", "***"])}\\n-----END PRIVATE KEY-----" in ${run(draw, LOWER, 8)}.md`,
  (draw) =>
    `it fails with ${pick(draw, ["-----BEGIN PRIVATE KEY----- not found", "expected -----BEGIN RSA PRIVATE KEY-----"])} when reading /etc/ssl/${run(draw, LOWER, 9)}.pem and goes on with the next of them`,
  (draw) =>
    `${pick(draw, ["postgres", "https", "mongodb+srv", "mysql"])}://${pick(draw, ["user:password", "admin:${DB_PASS}", "$(PGUSER):$(PGPASSWORD)", "USER:PASSWORD", "{{user}}:{{pass}}", "username:mypassword", "me:REPLACE_WITH_PASSWORD", "you:xxxx", "postgres"])}@${run(draw, LOWER, 6)}.example.com/app`,
  (draw) =>
    `//registry.${run(draw, LOWER, 5)}.com/:_authToken=${pick(draw, ["${NPM_TOKEN}", "$NPM_TOKEN", "<token>"])}`,
  (draw) =>
    `resource api-${uuid(draw)}, order re_${run(draw, LOWER, 8)}, file fc-${run(draw, DIGITS, 8)}, ${pick(draw, ["vcp_abc", "cfat_short", "tskey-auth", "hvs.abc", "glpat-abc", "figd_abc"])}`,
  (draw) =>
    `The ${pick(draw, ["password", "token", "API key", "secret"])} ${pick(draw, ["of the database", "for staging", "to the console", "for user 42"])} ${pick(draw, ["is kept in the vault, item 42-b", "is required", "is: documentation", "was rotated on 2026-11-02", "is in OPENAI_API_KEY"])}.`,
  (draw) =>
    `"http://localhost:${3000 + draw(900)} or write to ${run(draw, LOWER, 4)}${draw(90)}@example.com/${run(draw, LOWER, 4)}"`,
  (draw) => `The wallet sent 0x${run(draw, HEX, 64)} in block ${draw(9_999_999)}`,
  (draw) =>
    `public key ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${run(draw, `${ALNUM}+/`, 43)} ada@host`,
];

/** What looks like a secret to a careless eye. `total` in all, each kind as often. */
export function lookAlikes(total: number, seed = 11): string[] {
  const draw = chance(seed);
  return Array.from({ length: total }, (_, index) =>
    (LOOK_ALIKES[index % LOOK_ALIKES.length] ?? (() => ""))(draw),
  );
}
