// Secrets as people and programs tell them, written before the rules that find them: none was ever valid anywhere.
/** A text that somebody might write, and the part of it that must not be read. */
export interface Labelled {
  readonly kind: string;
  readonly text: string;
  readonly secret: string;
}

export const told = (
  kind: string,
  ...cases: readonly (readonly [secret: string, text: string])[]
): Labelled[] => cases.map(([secret, text]) => ({ kind, secret, text }));

const GITHUB = "ghp_" + "Zt4qXw81LmNc5RbY0aKdVuE7sHfJ2gPo9TiW";
const ANTHROPIC =
  "sk-ant-" +
  "api03-Qm7vT2xZk9LrB4nWc8YpHs1JdGf6AuEoRi3KtNzVbMqXwSyCeDhUgPlOjI5a0T4FvQ2ZkLmNxBw8RcHyEJ-1dGfAAu9oAA";
const STRIPE = "sk_" + "live_51Mz8QkR2vTn4LpXc7YwJd0sGh3";
const TELEGRAM = "7049218365" + ":AAHk3vQz8LmXc1RbYtJw5NsGd0PfUe2oKiT";
export const base64 = (text: string): string => Buffer.from(text).toString("base64");
const PPK = [
  "AAABAQCJv8xK2mQz0LrT5nWc7YpHs3JdGf9AuEoRi1KtNzVbMqXwSyCeDhUgPlOj",
  "I5a0T4FvQ2ZkLmNxBw8RcHyEJ1dGfAAu9oKt3sVbWqZrXyCeDhUgPlOjI5a0T4Fv",
  "Q2ZkLmNxBw8RcHyEJ1dGfA==",
].join("\n");

export const SECRETS_TOLD: readonly Labelled[] = [
  ...told(
    "token in a URL's path",
    [TELEGRAM, `https://api.telegram.org/bot${TELEGRAM}/sendMessage?chat_id=42&text=hi`],
    [TELEGRAM, `I get 401 from curl "https://api.telegram.org/bot${TELEGRAM}/getMe", why?`],
    [TELEGRAM, `wget https://api.telegram.org/file/bot${TELEGRAM}/photos/file_3.jpg`],
    [
      "b7Qx2mLk9ZtRv4Nw8YcJ",
      "The build hook is https://api.netlify.example/build_hooks?token=b7Qx2mLk9ZtRv4Nw8YcJ",
    ],
  ),
  ...told(
    "signature in a URL",
    [
      "k8Qz1%2BvXw3Lm7TnRc5YbJd0sGh2PfUe9oKiT4aZqV6c%3D",
      "https://shopdata.blob.core.windows.net/backups/db.bak?sv=2022-11-02&st=2026-01-01T00%3A00%3A00Z&se=2026-12-31T00%3A00%3A00Z&sr=b&sp=r&sig=k8Qz1%2BvXw3Lm7TnRc5YbJd0sGh2PfUe9oKiT4aZqV6c%3D",
    ],
    [
      "Qm7vT2xZk9LrB4nWc8YpHs1JdGf6AuEoRi3KtNzVbM%3D",
      "azcopy copy ./a 'https://acct.file.core.windows.net/share?sp=rwdl&spr=https&sv=2021-06-08&sr=s&sig=Qm7vT2xZk9LrB4nWc8YpHs1JdGf6AuEoRi3KtNzVbM%3D'",
    ],
    [
      "9f2c41d7be085a6339e1c4d80f7a2b5e6c1d93a84b70fe25d8c63a1907e4b2fd",
      "https://media.s3.eu-west-1.amazonaws.com/a.mp4?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=20260301T101500Z&X-Amz-Expires=3600&X-Amz-Signature=9f2c41d7be085a6339e1c4d80f7a2b5e6c1d93a84b70fe25d8c63a1907e4b2fd",
    ],
    [
      "41d7be085a6339e1c4d80f7a2b5e6c1d93a84b70fe25d8c63a1907e4b2fd9f2c",
      "https://storage.googleapis.com/b/o?X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Signature=41d7be085a6339e1c4d80f7a2b5e6c1d93a84b70fe25d8c63a1907e4b2fd9f2c",
    ],
    [
      "Hs1JdGf6AuEoRi3KtNzVbMqXwSyCeDhU0gPlOjI5a0T",
      "Endpoint=sb://orders.servicebus.windows.net/;SharedAccessKeyName=root;SharedAccessKey=Hs1JdGf6AuEoRi3KtNzVbMqXwSyCeDhU0gPlOjI5a0T=",
    ],
  ),
  ...told(
    "query of a URL",
    ["2f8e1c7ab94d4036", "GET /v1/geocode?address=Bern&key=2f8e1c7ab94d4036&lang=de"],
    [
      "EAAQx81LmNc5RbY0aKdVuE7sHfJ2",
      "https://graph.example.com/me?access_token=EAAQx81LmNc5RbY0aKdVuE7sHfJ2&fields=id",
    ],
    [
      "n4Lp-Xc7Yw_Jd0sGh3",
      "open https://app.example.com/reset?user=ada&reset_token=n4Lp-Xc7Yw_Jd0sGh3",
    ],
    ["hunter2-staging", "http://10.0.0.7:8080/login?user=admin&password=hunter2-staging"],
    [
      "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
      "otpauth://totp/Shop:ada@example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Shop",
    ],
    ["Rk29vLx0Qm", "https://example.com/feed.ics?auth=Rk29vLx0Qm"],
    ["S3cr3tPart", "ftp://backup:S3cr3tPart@files.example.org/nightly"],
  ),
  ...told(
    "JSON in JSON",
    ["Tr0ub4dor&3x", '{"body":"{\\"user\\":\\"app\\",\\"password\\":\\"Tr0ub4dor&3x\\"}"}'],
    [
      "kZ81LmNc5RbY0aKdVuE7",
      '{"log":"sent {\\"client_secret\\":\\"kZ81LmNc5RbY0aKdVuE7\\",\\"grant\\":\\"cc\\"}","ok":true}',
    ],
    ["v9Lx-2Qm7-Tn4p", '"{\\\\\\"token\\\\\\":\\\\\\"v9Lx-2Qm7-Tn4pRc5Y\\\\\\"}"'],
    ["sommer-Wind-77", '{\\"db\\": {\\"host\\": \\"db1\\", \\"pwd\\": \\"sommer-Wind-77\\"}}'],
    ["Qx81LmNc5RbY0aKd", 'payload=\'{"apiKey": "Qx81LmNc5RbY0aKd"}\''],
  ),
  ...told(
    "XML and HTML",
    [
      "Gr33n-Harbour-9",
      "<connection><user>app</user><password>Gr33n-Harbour-9</password></connection>",
    ],
    [
      "b81LmNc5RbY0",
      "<server>\n  <id>nexus</id>\n  <username>ci</username>\n  <password>b81LmNc5RbY0</password>\n</server>",
    ],
    ["Zt4qXw81LmNc5RbY0aKd", '<add key="ApiKey" value="Zt4qXw81LmNc5RbY0aKd" />'],
    ["W1nter!Coat", '<input type="password" name="pw" value="W1nter!Coat">'],
    ["Pf0-Ue2oKiT7x", '<property name="password" value="Pf0-Ue2oKiT7x"/>'],
    ["LmNc5RbY0aKdVuE7sHfJ", '<string name="secret_key">LmNc5RbY0aKdVuE7sHfJ</string>'],
    ["9LmXc1RbYtJw5N", '<wsse:Password Type="PasswordText">9LmXc1RbYtJw5N</wsse:Password>'],
    [
      "8c41d7be-085a-4339-a1c4-d80f7a2b5e6c",
      '<meta name="csrf-token" content="8c41d7be-085a-4339-a1c4-d80f7a2b5e6c">',
    ],
    ["R0seGarden!", "<key>Password</key>\n\t<string>R0seGarden!</string>"],
  ),
  ...told(
    "command line",
    ["f1Shbowl9", "curl -u admin:f1Shbowl9 https://jenkins.example.com/api/json"],
    ["kd81-Wq02", "curl -s -X POST --user 'deploy:kd81-Wq02' https://ci.example.com/build"],
    ["p8Zk22mm", "mysql -uroot -pp8Zk22mm shop < dump.sql"],
    ["Kanal7Boot", "mysqldump -h db1 -u backup -pKanal7Boot --all-databases"],
    ["n0rdlicht", "sshpass -p n0rdlicht ssh root@10.0.0.4 uptime"],
    ["Am8er#Stone", "sshpass -p 'Am8er#Stone' scp a.tgz ops@web1:/srv"],
    ["hafen2024", "PGPASSWORD=hafen2024 psql -h db1 -U app shop"],
    ["q7Lk0xWm", "redis-cli -h cache1 -a q7Lk0xWm ping"],
    ["Herbst!21", "docker login registry.example.com -u ci -p Herbst!21"],
    ["Lind3nbaum", "ldapsearch -x -D cn=admin,dc=example,dc=org -w Lind3nbaum -b dc=example"],
    ["b00tsHaus4", "smbclient //nas/share -U ada%b00tsHaus4"],
    ["Vk3-wolke", "openssl pkcs12 -in a.p12 -passin pass:Vk3-wolke -nodes"],
    ["m0rgenR0t", "mongosh --host db1 -u root -p m0rgenR0t --authenticationDatabase admin"],
    ["xt5-Birke", "gpg --batch --passphrase xt5-Birke -d secrets.gpg"],
    ["gr4uWolf88", "zip -P gr4uWolf88 -r out.zip docs"],
    ["R1tterBurg", "7z x archive.7z -pR1tterBurg"],
    ["S0nnenTau", "http -a ada:S0nnenTau GET https://api.example.com/me"],
    ["wq81Lm-Nc5R", "vault login -method=userpass username=ada password=wq81Lm-Nc5R"],
    ["Zk9LrB4nWc", "net use Z: \\\\nas\\share /user:ada Zk9LrB4nWc"],
    ["t4xi-Fahrt", "echo 't4xi-Fahrt' | sudo -S systemctl restart nginx"],
    ["Rb7YaKd0", "sqlcmd -S db1 -U sa -P Rb7YaKd0 -Q 'select 1'"],
    ["h4Gel-Korn", "wget --user=ada --password=h4Gel-Korn https://files.example.org/a.zip"],
    ["n5WcYp8Hs", "htpasswd -bc .htpasswd ada n5WcYp8Hs"],
    ["Nebel-Horn-3", "kubectl create secret generic db --from-literal=password=Nebel-Horn-3"],
    ["u7Ei0Kt-Nz", "rabbitmqctl add_user shop u7Ei0Kt-Nz"],
    ["c9Xw-St0rm", "ALTER USER shop WITH PASSWORD 'c9Xw-St0rm';"],
    ["d2Vb-Mq81", "CREATE USER 'app'@'%' IDENTIFIED BY 'd2Vb-Mq81';"],
  ),
  ...told(
    "files of passwords",
    ["Mond-Schein7", "db1.example.com:5432:shop:app:Mond-Schein7"],
    ["k4LtHaus", "~/.pgpass: localhost:5432:*:postgres:k4LtHaus"],
    ["b1Rnbaum22", "machine api.example.com login ada password b1Rnbaum22"],
    ["Zw8RcHyEJ1", "machine git.example.org\n  login deploy\n  password Zw8RcHyEJ1\n"],
    ["$apr1$k8Qz1vXw$3Lm7TnRc5YbJd0sGh2PfU.", "ada:$apr1$k8Qz1vXw$3Lm7TnRc5YbJd0sGh2PfU."],
    [
      "$6$Lm7TnRc5$YbJd0sGh2PfUe9oKiT4aZqV6ck8Qz1vXw3Lm7TnRc5YbJd0sGh2PfUe9oKiT4aZqV6ck8Qz1vXw3Lm7Tn1",
      "root:$6$Lm7TnRc5$YbJd0sGh2PfUe9oKiT4aZqV6ck8Qz1vXw3Lm7TnRc5YbJd0sGh2PfUe9oKiT4aZqV6ck8Qz1vXw3Lm7Tn1:19700:0:99999:7:::",
    ],
    [
      base64("ada:Winter-2026"),
      `{"auths":{"registry.example.com":{"auth":"${base64("ada:Winter-2026")}"}}}`,
    ],
    ["Tau-Perle-5", 'network={\n  ssid="home"\n  psk="Tau-Perle-5"\n}'],
    ["F3uerWehr", "enable secret F3uerWehr"],
    ["v7Tn4Lp9Xc", "define('DB_PASSWORD', 'v7Tn4Lp9Xc');"],
    ["J5-kranich", "spring.datasource.password=J5-kranich"],
    ["xq-Ufer-61", "  db:\n    user: app\n    pass: xq-Ufer-61\n"],
  ),
  ...told(
    "keys in lines",
    [
      PPK.slice(0, 64),
      `PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\nComment: ada@laptop\nPublic-Lines: 1\nAAAAB3NzaC1yc2EAAAADAQABAAABAQ\nPrivate-Lines: 3\n${PPK}\nPrivate-MAC: 5e6c1d93a84b70fe25d8c63a1907e4b2fd9f2c41d7be085a6339e1c4d80f7a2b`,
    ],
    [
      "Q2ZkLmNxBw8RcHyEJ1dGfA==",
      `My key:\nPuTTY-User-Key-File-2: ssh-ed25519\nEncryption: none\nComment: x\nPublic-Lines: 2\nAAAAC3NzaC1lZDI1NTE5AAAAIKt3sVbWqZrXyCeDhUgPlOjI5a0T4FvQ2ZkLm\nNxBw8R\nPrivate-Lines: 1\nQ2ZkLmNxBw8RcHyEJ1dGfA==\nPrivate-MAC: 41d7be085a6339e1c4d80f7a2b5e6c1d93a84b70`,
    ],
    [
      "xBw8RcHyEJ1dGfAAu9oKt3sVbWqZrXyCeDhUgPlOjI5",
      '{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","d":"xBw8RcHyEJ1dGfAAu9oKt3sVbWqZrXyCeDhUgPlOjI5"}',
    ],
    [
      "mQz0LrT5nWc7YpHs3JdGf9AuEoRi1KtNzVbMqXwSyC0=",
      "[Interface]\nPrivateKey = mQz0LrT5nWc7YpHs3JdGf9AuEoRi1KtNzVbMqXwSyC0=\nAddress = 10.8.0.2/24",
    ],
  ),
  ...told(
    "a pair",
    ["Kirsche42", "user / password: ada / Kirsche42"],
    ["blauWal-9", "Login: ada@example.com / blauWal-9"],
    ["p1n3Apple", "The test account is tester/p1n3Apple"],
    ["G0ldfisch", "username: ops, password: G0ldfisch"],
    ["r0ck3tMan", "creds are admin:r0ck3tMan for the staging box"],
    ["Zug-4711", "Zugang: Benutzer ada, Kennwort Zug-4711"],
    ["m4rble-Run", "user=ada pass=m4rble-Run"],
    ["F0rest#12", "log in with ada and F0rest#12 as the password"],
    ["sn0wFlake", "| user | password |\n|---|---|\n| ada | sn0wFlake |"],
  ),
  ...told(
    "a number that opens",
    ["4821", "The PIN of my card is 4821"],
    ["7719", "my pin: 7719, please remember it"],
    ["0093", "PIN for the safe is 0093."],
    ["482913", "The door code is 482913#"],
    ["731 904", "My one-time code is 731 904"],
    ["317", "The CVV is 317"],
    ["58204417", "The unlock code of the phone is 58204417"],
  ),
  ...told(
    "a pass phrase",
    ["correct horse battery staple", "The pass phrase is correct horse battery staple"],
    ["violet tractor seven lanterns", 'passphrase: "violet tractor seven lanterns"'],
    ["blauer Esel tanzt nachts leise", "Meine Passphrase lautet: blauer Esel tanzt nachts leise"],
    [
      "legal winner thank year wave sausage worth useful legal winner thank yellow",
      "My seed phrase is legal winner thank year wave sausage worth useful legal winner thank yellow",
    ],
    ["canal-otter-velvet-47-brick", "The recovery key is canal-otter-velvet-47-brick"],
    ["7Q2M-X9LK-4TRV-8NWY", "Backup code: 7Q2M-X9LK-4TRV-8NWY"],
    ["my dog barks at 4 am", "password = 'my dog barks at 4 am'"],
  ),
  ...told(
    "broken over a line",
    [GITHUB.slice(20), `Use ${GITHUB.slice(0, 20)}\n${GITHUB.slice(20)} for the clone`],
    [
      ANTHROPIC.slice(60),
      `ANTHROPIC_API_KEY=${ANTHROPIC.slice(0, 60)}\\\n    ${ANTHROPIC.slice(60)}`,
    ],
    [STRIPE.slice(0, 12), `> the key is ${STRIPE.slice(0, 12)}\n> ${STRIPE.slice(12)}`],
    [GITHUB.slice(0, 16), `token:\n  ${GITHUB.slice(0, 16)}\n  ${GITHUB.slice(16)}`],
    ["9LmXc1RbYtJw5NsGd0Pf", "password:\n  9LmXc1RbYtJw5NsGd0Pf"],
  ),
  ...told(
    "base64 of a secret",
    [base64(GITHUB), `echo ${base64(GITHUB)} | base64 -d`],
    [base64(`${ANTHROPIC}\n`), `data:\n  key: ${base64(`${ANTHROPIC}\n`)}`],
    [base64("password=Kirsche-Baum-42"), `config: ${base64("password=Kirsche-Baum-42")}`],
    [base64("ada:Kirsche-Baum-42"), `Authorization: Basic ${base64("ada:Kirsche-Baum-42")}`],
    [base64(STRIPE), `The value in the manifest is ${base64(STRIPE)}.`],
  ),
  ...told(
    "a field named in another language",
    ["rote-Lampe-7", "Passwort: rote-Lampe-7"],
    ["Zitr0ne99", "WLAN-Schlüssel: Zitr0ne99"],
    ["Luna-Roja-5", "contraseña: Luna-Roja-5"],
    ["Lune-Rouge-5", "mot de passe : Lune-Rouge-5"],
    ["Lua-Verm-5", "senha: Lua-Verm-5"],
    ["podsolnuh88", "Пароль: podsolnuh88"],
    ["солнце77", "пароль — солнце77"],
    ["x9Lk22mQ", "Пароль от базы данных: x9Lk22mQ"],
    ["Akai-Tsuki5", "パスワード：Akai-Tsuki5"],
    ["x9Lk22mQ", "データベースのパスワード: x9Lk22mQ"],
  ),
  ...told(
    "headers and cookies",
    ["s81LmNc5RbY0aKdVuE7sHfJ2", "Cookie: theme=dark; sessionid=s81LmNc5RbY0aKdVuE7sHfJ2"],
    ["LmNc5RbY0aKdVuE7", "X-API-Key: LmNc5RbY0aKdVuE7"],
    ["8c41d7be085a6339e1c4d80f7a2b5e6c", "-H 'X-Auth-Token: 8c41d7be085a6339e1c4d80f7a2b5e6c'"],
    [
      "PHPSESSID=k3vqz8lmxc1rbytjw5nsgd0pf2".slice(10),
      "Set-Cookie: PHPSESSID=k3vqz8lmxc1rbytjw5nsgd0pf2; path=/; HttpOnly",
    ],
  ),
];

/** What a careless eye takes for a secret, in prose and in code. */
export const NO_SECRETS: readonly string[] = `
AKIAIOSFODNN7EXAMPLE
aws_access_key_id = AKIAIOSFODNN7EXAMPLE
The docs use AKIAIOSFODNN7EXAMPLE as a sample.
password: string
const token = getToken();
token = await refreshToken(user)
let password: string | undefined;
function login(user: string, password: string): Promise<Session>
if (password.length < 8) throw new Error('too short')
The password must have at least 12 characters.
Passwords are hashed with bcrypt and never stored.
Password reset emails go out within 5 minutes.
He forgot his password again yesterday.
the token count is 48213
max_tokens=4096
Each token costs 0.003 dollars.
tokens: 1532 in, 220 out
curl -u "$USER:$PASS" https://api.example.com
curl -u user:password https://api.example.com
mysql -u root -p shop
mysql -uroot -p"$MYSQL_ROOT_PASSWORD" -e 'show tables'
sshpass -e ssh host
sshpass -p "$SSH_PASSWORD" ssh host
docker run -p 8080:80 nginx
mkdir -p src/components/login
ssh -p 2222 ops@web1
nmap -p 1-65535 10.0.0.1
grep -P '\\d{4}' access.log
tar -xzpf backup.tgz
git log -p src/auth.ts
ls -a /etc/nginx
echo done | sudo tee /etc/motd
psql -U app -h db1 shop
redis-cli -h cache1 -a "$REDIS_PASSWORD"
The PIN must have 4 digits.
Pin the version to 4.17.21 in package.json
pin 1234 is too easy to guess, the page says
I pinned message 4821 in the channel.
the door code has to be changed in 2026
error code 482913
exit code is 137
status code: 404
The zip code is 80331
HTTP code 502 since 14:20
country code is 49
Le mot de passe est obligatoire.
<password>\${DB_PASSWORD}</password>
<label>Password</label><input type="password" name="pw">
<token>{{ token }}</token>
<a href="/password/reset">Forgot your password?</a>
{"password":"********"}
{\\"token\\":null,\\"user\\":\\"ada\\"}
https://example.com/?key=value&page=2
https://shop.example.com/search?q=token&sort=asc
https://example.com/a?sig=
https://example.com/reset?token=<token>
https://github.com/acme/app/blob/9f2c41d7be085a6339e1c4d80f7a2b5e6c1d93a8/src/auth/password.ts
sha256-k8Qz1vXw3Lm7TnRc5YbJd0sGh2PfUe9oKiT4aZqV6ck=
integrity: sha512-Lm7TnRc5YbJd0sGh2PfUe9oKiT4aZqV6ck8Qz1vXw3Lm7TnRc5YbJd0sGh2PfUe9oKiT4aZqV6ck8Qz1vXw3Lg==
commit 41d7be085a6339e1c4d80f7a2b5e6c1d93a84b70
id: 8c41d7be-085a-4339-a1c4-d80f7a2b5e6c
localhost:5432:shop
10:15:32:ada:login
a ratio of 16/9 and a share of 3/4
see src/user/password.ts
user / role / team
and/or, his/her, true/false
key: value
primary key: user_id
The key is to start small.
keyboard: QWERTZ
public key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKt3sVbWqZrXyCeDhUgPlOjI5a0T4FvQ2ZkLmNxBw8Rc ada@host
secretary: Ada Lovelace
The secret of good bread is time.
session: 45 minutes with Ada
const SECRET_NAME = 'db-credentials'
The phrase is from a poem by Rilke.
pass the salt, please
passed 412 of 412 tests
bypass: none
compass: north-east 12 degrees
username: ada
Login: see the wiki, page 12
Authorization: Bearer <token>
Authorization: Bearer \${token}
Cookie: see RFC 6265
data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==
VGhpcyBpcyBub3QgYSBzZWNyZXQsIGp1c3QgYSBzZW50ZW5jZS4=
password_hash = bcrypt.hashpw(password, salt)
os.environ['DB_PASSWORD']
process.env.API_KEY ?? ''
api_key = os.getenv("OPENAI_API_KEY")
{ token, user } = await login()
headers: { Authorization: \`Bearer \${token}\` }
--password-file /run/secrets/db
PGPASSFILE=~/.pgpass
`
  .trim()
  .split("\n");
