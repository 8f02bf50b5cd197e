// A second set of the same kinds, written when the rules for the first one stood: 109 of these 123 and 92 of the 96 look-alikes
// were right at first sight. None was ever valid anywhere.
import { base64, type Labelled, told } from "./secrets-told.ts";

export const SECRETS_RETOLD: readonly Labelled[] = [
  ...told(
    "told in another order",
    ["Harvest!2231", "admin / Harvest!2231"],
    ["88213377", "My password is 88213377."],
    ["31-7-22", "the combination of the safe is 31-7-22"],
    ["Falcon-2210", "creds -> bob:Falcon-2210"],
    ["3b7d2f9e8c1a4b6d5e7f9a0b1c2d3e4f", "secret_key_base: 3b7d2f9e8c1a4b6d5e7f9a0b1c2d3e4f"],
    ["Otter-Mint-41x", "twine upload -u __token__ -p Otter-Mint-41x"],
  ),
  ...told(
    "token in a URL's path",
    [
      "6182934750:AAFh2kLmN0pQrStUvWxYz1A2b3C4d5E6f7G",
      "POST https://api.telegram.org/bot6182934750:AAFh2kLmN0pQrStUvWxYz1A2b3C4d5E6f7G/sendPhoto",
    ],
    [
      "6182934750:AAFh2kLmN0pQrStUvWxYz1A2b3C4d5E6f7G",
      "webhook set: https://api.telegram.org/bot6182934750:AAFh2kLmN0pQrStUvWxYz1A2b3C4d5E6f7G/setWebhook?url=https://x.example",
    ],
  ),
  ...told(
    "signature in a URL",
    [
      "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5zA7bC9%3D",
      "The backup goes to https://acme.blob.core.windows.net/c?sv=2021-12-02&ss=b&srt=sco&sp=rwdlacx&se=2027-01-01T00:00:00Z&st=2026-01-01T00:00:00Z&spr=https&sig=aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5zA7bC9%3D every night",
    ],
    [
      "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5zA7bC9=",
      "SharedAccessSignature sr=hub.azure-devices.net&sig=aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5zA7bC9=&se=1767225600&skn=iothubowner",
    ],
  ),
  ...told(
    "JSON in JSON",
    ["Fj0rd!Blue", '{"args":"{\\"db_password\\":\\"Fj0rd!Blue\\",\\"host\\":\\"x\\"}"}'],
    ["aX7kP2mQ9rT4vW8y", '{"data":"{\\"access_token\\": \\"aX7kP2mQ9rT4vW8y\\"}"}'],
    ["qu1etRiver", '{\\"username\\":\\"bob\\",\\"passwd\\":\\"qu1etRiver\\"}'],
    ["silverspoon12", "{\"env\":\"{'PASSWORD': 'silverspoon12'}\"}"],
    ["Hx82_kd-Lm3", '\\"secret\\": \\"Hx82_kd-Lm3p9Qw\\"'],
  ),
  ...told(
    "XML and HTML",
    ["Copper%Kettle3", "<db-password>Copper%Kettle3</db-password>"],
    ["Walnut77", '<user name="bob" password="Walnut77" />'],
    ["9sKd02mWq8Lp", "<apiKey>9sKd02mWq8Lp</apiKey>"],
    ["aB3dE5fG7hI9jK1lM3", "<input type='hidden' name='authToken' value='aB3dE5fG7hI9jK1lM3'>"],
    ["Tr4veller", "<Password>\n    Tr4veller\n  </Password>"],
    ["blue-L4goon", '<entry key="db.password">blue-L4goon</entry>'],
    ["m00nRise", "<dict><key>wifiPassword</key><string>m00nRise</string></dict>"],
    ["0ceanDrive", "<password><![CDATA[0ceanDrive]]></password>"],
  ),
  ...told(
    "command line",
    ["s1lverFox", "curl --user bob:s1lverFox -X PUT https://x.example/api"],
    ["t0pHat99", "curl -XGET -u 'elastic:t0pHat99' localhost:9200/_cat/indices"],
    ["cr1mson", "mysql -h 10.1.1.1 -u bob -pcr1msonTide shop"],
    ["Gl4cier", "mysqladmin -u root -p'Gl4cier!' status"],
    ["d4ndelion", "SSHPASS=d4ndelion sshpass -e ssh bob@host"],
    ["d4ndelion", "sshpass -pd4ndelion ssh bob@host"],
    ["pep5iMax", "psql 'host=db user=bob password=pep5iMax dbname=x'"],
    ["w1ldR0se", "export MYSQL_PWD=w1ldR0se"],
    ["f4lconCrest", "echo f4lconCrest | docker login -u bob --password-stdin"],
    ["qZ8rT2", "az login -u bob@x.example -p qZ8rT2vW"],
    ["n1ghtShift", "xfreerdp /u:bob /p:n1ghtShift /v:10.0.0.9"],
    ["k3yStone", "keytool -list -keystore a.jks -storepass k3yStone"],
    ["r4inDrop", "gpg --batch --yes --passphrase 'r4inDrop' -c file"],
    ["v1olet", "openssl enc -aes-256-cbc -k v1oletSky -in a"],
    ["p4ssepartout", "rsync --password=p4ssepartout a b"],
    ["h0neyBee", "svn co https://x.example/svn --username bob --password h0neyBee"],
    ["b1gApple7", "ftp: open host; user bob b1gApple7"],
  ),
  ...told(
    "files of passwords",
    ["gr33nTea", "db.internal:5432:orders:bob:gr33nTea"],
    ["gr33nTea", "*:*:*:bob:gr33nTea"],
    ["s4ltLake", "default login bob password s4ltLake"],
  ),
  ...told(
    "keys in lines",
    [
      "AAAAgQDf83kLmN0pQrStUvWxYz1A2b3C4d5E6f7G8h9I0jKlMnOpQrStUvWxYzA",
      "PuTTY-User-Key-File-2: ssh-rsa\r\nEncryption: none\r\nComment: k\r\nPublic-Lines: 1\r\nAAAAB3NzaC1yc2E\r\nPrivate-Lines: 2\r\nAAAAgQDf83kLmN0pQrStUvWxYz1A2b3C4d5E6f7G8h9I0jKlMnOpQrStUvWxYzA\r\nbCdEfGhIjKlMnOpQ==\r\nPrivate-MAC: 0011\r\n",
    ],
    [
      "bCdEfGhIjKlMnOpQ0123",
      "PuTTY-User-Key-File-3: ssh-ed25519\\nEncryption: none\\nPrivate-Lines: 1\\nbCdEfGhIjKlMnOpQ0123456789aBcDeFgHiJkLmNoPq\\nPrivate-MAC: 00",
    ],
  ),
  ...told(
    "a pair",
    ["s3aBreeze", "Username / password: bob / s3aBreeze"],
    ["s3aBreeze", "user/pass: bob/s3aBreeze"],
    ["Fr0sty-9", "Credentials: bob:Fr0sty-9"],
    ["Fr0sty-9", "You can log in as bob with the password Fr0sty-9"],
    ["c0ralReef", "Benutzername: bob, Passwort: c0ralReef"],
    ["c0ralReef", "usuario: bob contraseña: c0ralReef"],
    ["c0ralReef", "identifiant bob, mot de passe c0ralReef"],
    ["P1cnic#", "admin account: root / P1cnic#Day"],
    ["gh0stTown", "Please use bob@x.example with gh0stTown as password"],
    ["cl0udNine", "User: bob\nPass: cl0udNine"],
    ["cl0udNine", "login bob password cl0udNine"],
  ),
  ...told(
    "a number that opens",
    ["3948", "the PIN of my debit card is 3948"],
    ["3948", "My card's PIN is 3948."],
    ["7204", "PIN: 7204"],
    ["220417", "The alarm code for the office is 220417"],
    ["6631", "SIM PIN is 6631"],
    ["5150", "the code to the garage door is 5150"],
  ),
  ...told(
    "a pass phrase",
    ["purple monkey dishwasher lamp", "My passphrase is purple monkey dishwasher lamp."],
    ["otter lamp canyon brisk violin", "pass phrase: otter lamp canyon brisk violin"],
    ["grüner Apfel fliegt heimlich", "Passphrase: grüner Apfel fliegt heimlich"],
    [
      "abandon ability able about above absent absorb abstract absurd abuse access accident",
      "seed phrase: abandon ability able about above absent absorb abstract absurd abuse access accident",
    ],
    [
      "abandon ability able about above absent absorb abstract absurd abuse access accident",
      'The mnemonic is "abandon ability able about above absent absorb abstract absurd abuse access accident"',
    ],
    [
      "otter lamp canyon brisk violin",
      "the pass phrase for the key is 'otter lamp canyon brisk violin'",
    ],
    ["Staple-Horse-Battery-Correct", "Passphrase = Staple-Horse-Battery-Correct"],
  ),
  ...told(
    "broken over a line",
    ["i9J0k1L2m3N4o5P6q7R8", "token ghp_a1B2c3D4e5F6g7H8\n  i9J0k1L2m3N4o5P6q7R8"],
    ["k1L2m3N4o5P6q7R8", "glpat-a1B2c3D4e5\nF6g7H8i9J0k1L2m3N4o5P6q7R8"],
    ["AKIA2E5F7H3J", "AWS: AKIA2E5F7H3J\nKL4MNP6Q for the bucket"],
    ["0123456789aBcDeFgHiJ", "sk-proj-aBcDeFgHiJkLmNoPqRsTuVwXyZ\\\n0123456789aBcDeFgHiJ"],
  ),
  ...told(
    "base64 of a secret",
    [
      base64("xoxb-123456789012-abcdefGHIJKLmnopQRST"),
      "decode this: " + base64("xoxb-123456789012-abcdefGHIJKLmnopQRST"),
    ],
    [base64("glpat-a1B2c3D4e5F6g7H8i9J0"), "GITLAB=" + base64("glpat-a1B2c3D4e5F6g7H8i9J0")],
    [base64('{"password":"Walnut-77"}'), "blob " + base64('{"password":"Walnut-77"}')],
    [base64("AKIA2E5F7H3JKL4MNP6Q"), "id: " + base64("AKIA2E5F7H3JKL4MNP6Q")],
  ),
  ...told(
    "a field named in another language",
    ["k4ter-Karlo", "Kennwort = k4ter-Karlo"],
    ["Uferl0s-8", "Datenbankpasswort: Uferl0s-8"],
    ["p3rro99", "Contraseña del router: p3rro99"],
    ["m4nzana7", "contrasena = m4nzana7"],
    ["ch4tNoir", "MDP: ch4tNoir"],
    ["ch4tNoir", "Mot de passe du wifi : ch4tNoir"],
    ["bl3uCiel", "mot de passe=bl3uCiel"],
    ["c3uAzul!", "Senha do roteador: c3uAzul!"],
    ["g4toPreto", "palavra-passe: g4toPreto"],
    ["g4toPreto", "SENHA=g4toPreto"],
    ["m0skva2026", "мой пароль m0skva2026"],
    ["m0skva2026", "Пароль для сервера: m0skva2026"],
    ["Zima-77", "пароль: Zima-77"],
    ["Зима-2026!", "Пароль от роутера — Зима-2026!"],
    ["fuj1San!", "ログインパスワード：fuj1San!"],
    ["tok10Tower", "パスワード=tok10Tower"],
  ),
  ...told(
    "headers, tables and sentences",
    ["9f8e7d6c5b4a3210", "https://maps.example.com/api?key=9f8e7d6c5b4a3210"],
    ["Zx9Yw8Vu7Ts6Rq5P", "set-cookie: session=Zx9Yw8Vu7Ts6Rq5P4o3N2m1L; Secure"],
    ["n3verMore", "The root password was changed to n3verMore"],
    ["n3verMore", "new password -> n3verMore"],
    ["n3verMore", "| Service | Password |\n| --- | --- |\n| db | n3verMore |"],
    ["n3verMore", "name,password\nbob,n3verMore"],
    ["n3verMore", "password\tn3verMore1"],
    ["k9Lm2Np4Qr6St8Uv", "api.setKey('api_key', 'k9Lm2Np4Qr6St8Uv')"],
    ["k9Lm2Np4Qr6St8Uv", 'config.set("secret_key", "k9Lm2Np4Qr6St8Uv")'],
    ["n3verMore", "`password` is `n3verMore`"],
    ["n3verMore", "**Password:** n3verMore"],
    ["n3verMore", "Password (staging): n3verMore"],
    ["n3verMore", "password for user bob@x.example is n3verMore"],
    ["n3verMore", "pw: n3verMore"],
    ["n3verMore", "The password's n3verMore"],
  ),
];

export const NO_SECRETS_EITHER: readonly string[] = `
const { password } = req.body;
user.password = hash(password)
assert password == expected_password
password: z.string().min(8)
def login(username: str, password: str) -> bool:
type: password
<TextField type="password" label="Password" name="password" />
password?: string
PASSWORD_MIN_LENGTH = 12
passwordResetTokenExpiry: Date
token_type: bearer
tokenizer = AutoTokenizer.from_pretrained('bert-base-uncased')
const tokenCount = 1200
key={item.id}
primaryKey: 'user_id'
cacheKey = \`\${user.id}:\${page}\`
session.close()
secretsmanager:GetSecretValue
auth: { type: 'oauth2' }
The API key page shows 3 keys.
see https://docs.example.com/auth/tokens?lang=en&version=2
https://example.com/?session=1&code=200
?code=en-US&key=name
PIN diagram of the ATmega328
pin 13 is the LED
The pinned commit is 4821 commits old
GPIO pin: 17
Order code is 4821 pieces
verification code was sent
the code in line 4821 is wrong
Error code: 1045 (28000)
exit code: 1
Access denied for user 'root'@'localhost' (using password: YES)
using password: NO
mysql: [Warning] Using a password on the command line interface can be insecure.
ssh -i ~/.ssh/id_rsa -p 2222 bob@host
docker run -e POSTGRES_PASSWORD=postgres postgres:16
docker compose -p myproject up
cp -p a b
unzip -P
zip -r a.zip src
7z x a.7z -o/tmp/x
git push -u origin feature-2
curl -u $USER:$TOKEN https://x
curl -u <user>:<password> https://x
curl https://x | sh -s -- -u 8080:80
http://user:pass@host/
ratio 1:2:3:4:5
12:30:45:100:200
a:b:c:d:e
npm ERR! code E401
Login: click the button at the top / right
account/settings2
The account is in region eu-west-1 / zone-2
credentials: include
fetch(url, { credentials: 'same-origin' })
The key is 256-bit
a 32-character token
token: 'string'
tokens_per_second: 45.2
The passphrase is never stored on disk
The passphrase must contain at least four random words
A recovery phrase consists of twelve words
cookie: string | undefined
SECRET_KEY = os.environ['SECRET_KEY']
secret: \${{ secrets.GITHUB_TOKEN }}
password: \${{ secrets.DB_PASSWORD }}
password = getpass.getpass()
password = input('Password: ')
--password=$(cat /run/secrets/pw)
--token "$GITHUB_TOKEN"
ENV API_KEY=
SHA256:k8Qz1vXw3Lm7TnRc5YbJd0sGh2PfUe9oKiT4aZqV6ck
etag: W/"5f-k8Qz1vXw3Lm7TnRc5YbJd0sGh2P"
data-testid="password-input-2"
class="password-field2 mb-4"
<label for="password">Password</label>
it('rejects a password of 7 characters')
PASS: TestLogin2 (0.3s)
PASS src/auth.test.ts
pass: 12, fail: 0
Token expired at 2026-01-01T00:00:00Z
token is refreshed every 15min
const [token2, setToken2] = useState('')
props.token1.value
password is checked with argon2id
password hash: argon2id
`
  .trim()
  .split("\n");
