import { either, inOrder } from "../base.ts";
import { rows } from "./tokens.ts";
import {
  type Form,
  foundBy,
  isGiven,
  isGivenMixed,
  isKey,
  isMachine,
  isMixed,
} from "./values-and-codes.ts";

/** The rest of a command up to its flag, also over lines that are told to go on. */
const ARGUMENTS = String.raw`\b(?:[^\n]|(?<=\\)\r?\n){0,400}?`;
const VALUE =
  String.raw`["']?((?<=")[^"\n]{3,200}(?=")|(?<=')[^'\n]{3,200}(?=')` +
  String.raw`|[^\s"'\x60|]{3,200})`;

const password = (shape: RegExp, judge = isGiven): Form => ["password", shape, judge];
/** A flag of some commands; `flags` end where the value begins. */
const flag = (commands: string, flags: string, { value = VALUE, judge = isGiven } = {}): Form =>
  password(
    new RegExp(String.raw`(?<![\w-])(?:${commands})${ARGUMENTS}\s${flags}${value}`, "g"),
    judge,
  );

/** Tools, and the flags of theirs that end where a password begins. */
const FLAGS = String.raw`
mysql\w*|mariadb[\w-]*: -p
sshpass: -p ?
redis-cli: (?:-a|--pass)[ ]
(?:docker|podman|nerdctl|helm registry|skopeo|oras)(?:[ ]auth)? login: -p[ ]
(?:crane|az|az acr|gh|oc|cf)(?:[ ]auth)? login: -p[ ]
mongo\w*|rdesktop|psexec\w*|crackmapexec|nxc|evil-winrm|jfrog|twine|ansible\w*: -p[ ]
ldap(?:search|modify|add|delete|passwd|whoami|modrdn|compare): -(?:w|s) ?
htpasswd: -\w*b\w*(?: -\w+){0,3} \S{1,200} \S{1,100}[ ]
rabbitmqctl: (?:add_user|change_password|authenticate_user) \S{1,100}[ ]
net use: (?:[^\n]{0,200} )?\/user:\S{1,100}[ ]
xfreerdp|wfreerdp: /p:
login: \S{1,100}\s{1,10}password[ ]
curl|wget|https?|httpie|xh: (?:-u|-U|-a|--user|--auth|--proxy-user)[ =]?["']?[^\s:"'$]{1,100}:
smbclient|rpcclient|mount\.cifs|smbmap|net rpc|winexe: (?:-U|--user)[ =]["']?[^\s%"']{1,100}%
snmp(?:walk|get|bulkwalk|set): -[AX][ ]
gh secret set: (?:-b|--body)[ =]
requirepass|masterauth: (?:)
ACL SETUSER: [^\n]{0,60}>
vault operator: unseal[ ]
mc alias: set \S{1,60} \S{1,200} \S{1,100}[ ]
lftp: -u ?[^\s,]{1,60},
sqlplus|sqlldr|expdp|impdp: [\w.$-]{1,60}\/
temporary password: is generated for \S{1,99}:[ ]
ssm put-parameter|keyvault secret set: --value[ =]
(?:tacacs|radius)-server: (?:host \S{1,60} )?key[ ]
snmp-server: community[ ]
ssh-keygen: [^\n]{0,200}-N ?
ConvertTo-SecureString: (?:-String )?(?=["'])
`;
/** Behind these a word may stand that is none. */
const MIXED_FLAGS = String.raw`
zip|unzip|zipcloak|sqlcmd|bcp|osql|isql: -P ?
7za?|7zz|rar|unrar: -h?p
mosquitto_\w+: -P[ ]
openssl enc: -k[ ]
expect: \S?send[ ]
net user: \S{1,60}[ ]
security: -w[ ]
`;

const COMMANDS: readonly Form[] = [
  ...rows(FLAGS).map(([tools, flags]) => flag(tools, flags)),
  ...rows(MIXED_FLAGS).map(([tools, flags]) => flag(tools, flags, { judge: isGivenMixed })),
  flag("curl", "(?:-u|--user)[ =]?", {
    value: String.raw`["']?([\w.-]{16,200})(?=:[xX]?["'\s])`,
    judge: isMachine,
  }),
  password(
    inOrder(
      /\b(?:echo|printf)\s{1,3}(?:-\w{1,3}\s{1,3}|["']%s(?:\\n)?["'] )?["']?([^\s"'|]{4,200})/g,
      /(?=["']?\s{0,3}\|\s{0,3}(?:passwd\s|cryptsetup|sudo .{0,9}-S|.{0,200}(?:-stdin|\bsecret)))/g,
    ),
  ),
  // A command that shows a secret, and its answer in the next line.
  password(
    inOrder(
      /\b(?:kubectl|vault|op|pass|gcloud|openssl|wg|pwgen|terraform)\b/g,
      /[^\n]{0,300}?(?:secret|password|token|read|show|rand|genkey|pwgen)[^\n]{0,200}/g,
      /\n[^\S\n]{0,8}([^\s"']{12,500})(?=[^\S\n]{0,8}(?:\n|$))/g,
    ),
    isKey,
  ),
  password(/(?<=pass[\w-]{0,12}(?:file|command|cmd)[ =]["'<($]{0,3}echo )["']?([^\s"'|)]{4,200})/g),
  // The first value of a new row that no word is.
  password(
    inOrder(
      /\bINSERT\s{1,3}INTO\s[^;'"]{0,200}(?:pass|secret|token|key)[^;'"]{0,200}/gi,
      /\sVALUES[^;]{0,300}?'(?=[^']{0,99}\d)(?=[^']{0,99}[a-z])/gi,
      /(?![\d-]{8}|\w+@)([^'\s]{8,200})(?=')/gi,
    ),
    isGivenMixed,
  ),
  // "shodan init …": a tool is given its key once.
  password(
    inOrder(
      /(?<=(?:^|[`$>]) ?)[a-z][\w-]{1,20} (?:[a-z]{2,12} )?/gm,
      /(?:init|login|auth|authtoken|add-authtoken|activate|register|configure|set-key)/gm,
      /\s([\w+/.-]{20,200})(?=[\s`]|$)/gm,
    ),
    isKey,
  ),
  password(/(?<=<<<\s{0,2})["']?([^\s"'|]{6,200})/g, isGivenMixed),
  password(
    inOrder(
      /\becho\s{1,3}["']?[\w.-]{1,60}:([^\s"'|]{3,200})/g,
      /(?=["']?\s{0,3}\|\s{0,3}(?:sudo\s{1,3})?chpasswd)/g,
    ),
  ),
  password(
    inOrder(
      /(?:=\s?PASSWORD\(|\bIDENTIFIED\s{1,3}(?:WITH\s{1,3}\S{1,60}\s{1,3})?(?:BY|AS)\s{1,3})/gi,
      /(?:PASSWORD\s{1,3})?["']([^"'\n]{3,200})/gi,
    ),
  ),
  password(
    inOrder(
      /(?<![\w-])--?(?:[\w.-]{0,30}[.-]|D)?/gi,
      /(?:pass(?:word|wd|phrase|wort)?|pwd?|(?:src|dest)?(?:store|key)pass|senha|kennwort)/gi,
      /(?:[ =]|\s{0,2}=\s{0,2})["']?([^\s"'`|,;()]{4,200})/gi,
    ),
    isGivenMixed,
  ),
];

/** Keys that a call is given, and an address of Oracle's. */
const CALLS: readonly Form[] = [
  // jdbc:oracle:thin:scott/…@
  ["password", /\bthin:[\w.$-]{1,60}\/([^\s@"'`]{3,200})(?=@)/gi, isGiven],
  // new Datadog("…"), twilio(account, "…"), cohere.Client("…")
  [
    "secret",
    inOrder(
      either(
        /\bnew\s[\w.]{1,60}(?<!id|hash|sha|commit|digest|lickey|contract|address)/gi,
        /client(?:v\d)?|translator|\b(?:twilio|algoliasearch)/gi,
      ),
      /\((?:\s{0,9}["']?[\w.-]{1,60}["']?\s{0,3},){0,3}\s{0,9}/gi,
      /["'](?!\w{8}-\w{4}-)([\w.:-]{28,200})(?=["'])/gi,
    ),
    isKey,
  ],
  // fromSecretKey(decode("…")), aes.New([]byte("…"))
  [
    "secret",
    inOrder(
      /(?:(?:private|secret)_?key|vapid|\baes|cipher)[\w.]{0,30}\([^\n;]{0,99}?/gi,
      /["']((?:0x)?[\w+/-]{16,200}={0,2})(?=["'])/gi,
    ),
    isKey,
  ],
];

/** The tools above, and flags that name a secret. */
const HINT = either(
  /curl|wget|https?\s|httpie|\bxh\s|mysql|mariadb|sshpass|redis-cli|login|mongo|rdesktop/i,
  /psexec|crackmapexec|nxc|evil-winrm|jfrog|twine|ansible|ldap|smb|rpcclient|cifs|\bnet\s/i,
  /winexe|zip|sqlcmd|\bbcp|[oi]sql|7z|rar|htpasswd|rabbitmqctl|ftp|freerdp|snmp|pass|pwd/i,
  /<<<|\|\s{0,3}sudo|-stdin|openssl|mosquitto|IDENTIFIED|-(?:token|key|secret|auth|pw)|kennwort/i,
  /senha|secret|SecureString|kubectl|vault|masterauth|setuser|tacacs|radius/i,
  /keygen|genkey|pwgen|gcloud|terraform|\bop |insert\s|expect|\b(?:init|activate|register)\s/i,
  /configure\s|alias\s|\bnew\s[\w.]{1,60}\(|(?:client(?:v\d)?|translator|algoliasearch)\(/i,
  /\bauth |sqlldr|sqlplus|(?:ex|im)pdp|twilio|private_?key|vapid|\baes|cipher|thin:/i,
);
export const commandsIn = foundBy([...COMMANDS, ...CALLS], HINT);

/** A file of passwords tells by the order of a line alone. */
const LINES: readonly Form[] = [
  // .pgpass
  password(
    inOrder(
      /(?<![\w.*:-])[\w.*-]{1,100}:(?:\d{3,5}|\*):[\w.*-]{1,60}:[\w.*@-]{1,60}:/g,
      /([^\s:"',]{4,200})(?=["'`]?(?:\s|$))/g,
    ),
    isMixed,
  ),
  [
    "password hash",
    either(
      /\$2[abxy]?\$\d\d\$[\w./]{53}/g,
      inOrder(
        /\$(?:apr1|1|5|6|y|7|argon2(?:id|i|d)|scrypt|pbkdf2[\w-]{0,20})/g,
        /\$[\w./+=,-]{1,100}\$[\w./+=$,-]{16,300}/g,
      ),
    ),
  ],
];
export const passwordLinesIn = foundBy(LINES, /:[\w.*@-]{1,60}:|\$[\dya][\w-]{0,20}\$/);
