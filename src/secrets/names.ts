/** Words for a password, in the languages people name one in; those of one letter's difference together. */
export const PASSWORD =
  String.raw`pass(?:word|wd|phrase|code|wort)|pass[ -]phrase|pwd|kennwort|losungswort|contrase(?:ñ|n\u0303?)a|clave` +
  String.raw`|mot[ -]de[ -]passe|mdp|senha|palavra[ -](?:passe|chave)|парол[ьяею]м?|wachtwoord|hasło|lösenord` +
  String.raw`|(?:wpa[_-]?)?psk|(?:wlan|wi-?fi|netzwerk)[- ]?(?:schlüssel|key|код|clé)`;
/** Written on to the word before it, as their languages do. */
const PASSWORD_UNSPACED = String.raw`パスワード|パスコード|パスフレーズ|暗証番号|合言葉|密码|密碼|口令|비밀번호`;

const KEY_OF =
  "api|access|auth|signing|encryption|private|master|account|storage|license|shared|service|deploy|ssh|client";
/** Words for what machines are known by. Plural "tokens" counts things, "token count" measures them. */
const TOKEN =
  String.raw`secret(?:[_. -]?(?:access[_. -]?)?key(?:[_. -]?base)?)?|(?:${KEY_OF})[_. -]?(?:key|secret|token)|apikey` +
  String.raw`|(?:recovery|backup|restore|activation|product|emergency)[_. -]?(?:key|codes?)` +
  String.raw`|(?:[A-Za-z]{1,20}[_. -])?token|bearer|credentials?|cookie|conn(?:ection)?[_. -]?string|_auth` +
  String.raw`|(?:api|sicherheits|wiederherstellungs|geheimer |privater )[- ]?schlüssel` +
  String.raw`|cl[ée] (?:api|secr[èe]te|privée|wi-?fi|d['’]accès)|jeton(?: d['’]accès)?` +
  String.raw`|chave (?:(?:de )?api|secreta|privada|de acesso)|api[- ]?ключ|(?:секретный |приватный )ключ|ключ api|токен`;
const TOKEN_UNSPACED = String.raw`シークレット|トークン|apiキー|秘密鍵|アクセスキー|密钥|令牌`;

/** As programs write it, one word: "dbPassword". */
const JOINED = String.raw`[A-Za-z]{2,20}(?:Password|Passwort|Kennwort|Secret|Token|ApiKey|SecretKey|AccessKey|PrivateKey)`;
/** Said alone, without a sign of giving, it is a road or what a test did. */
const PASS = String.raw`(?:[A-Z]{1,20})?pass(?=["'\x60\\]{0,3}\s?[:=])|pw(?=["'\x60\\]{0,3}\s?[:=])`;

/** Names that say "what follows is a secret", behind what they are of: "DB_PASSWORD", "WLAN-Passwort". */
export const NAME =
  String.raw`(?<![A-Za-z0-9])((?:[A-Za-z0-9]{1,40}[_.-]){0,6}?(?:${PASSWORD}|${TOKEN}|${JOINED}|${PASS}` +
  String.raw`|(?:[A-Za-z]{2,20}[ _-]?)?(?:${PASSWORD_UNSPACED}|${TOKEN_UNSPACED}))(?:[_-](?:key|value|string|id|\d))?)`;

export const namesPassword = (name: string): boolean => PASSWORD_NAME.test(name);
const PASSWORD_NAME = new RegExp(
  String.raw`${PASSWORD}|${PASSWORD_UNSPACED}|pass$|pw$|secret$`,
  "iu",
);

/** A name and nothing else: the head of a column, an element, an attribute's value. */
export const isName = (text: string): boolean => ONLY_NAME.test(text.trim());
const ONLY_NAME = new RegExp(
  String.raw`^(?:[\w-]{1,30}:)?(?:${NAME}|pass|psk|pw|(?:[\w.-]{1,40}[_.-])?key)$`,
  "iu",
);

/** A text without one of these holds no secret that is given by its name. */
export const HINT = new RegExp(
  "pass|pw|psk|pin|secret|token|key|credential|bearer|basic|cookie|session|conn|auth|code|phrase|wort|clave|contrase|senha" +
    "|palavra|парол|ключ|код|токен|пин|wachtw|hasło|lösenord|mdp|jeton|schlüssel|cv[vc]2?|mnemonic|seed|login|creds|account" +
    "|zugang|acce|accès|密|口令|令牌|パス|暗証|合言葉|トークン|シークレット|キー|秘密鍵|비밀번호|\\$\\d",
  "iu",
);
