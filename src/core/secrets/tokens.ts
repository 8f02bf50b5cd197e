import { inOrder } from "../base.ts";
import { ending, isDrawn, type Secret, turnsOf, WORD } from "./values-and-codes.ts";

/**
 * A service and how its tokens begin, as it documents them; a body that a machine drew follows.
 */
const PREFIXES = `
1Password: ops_eyJ
Adafruit: aio_
Adobe: p8e-
age key: AGE-SECRET-KEY-1
Anthropic: sk-ant-
Anyscale: esecret_
Apify: apify_api_
Artifactory: AKCp cmVmdGtuO
Atlassian: ATATT3 ATCTT3 ATBB ATTA
AWS: bedrock-api-key- ABSK FwoGZXIvYXdz IQoJb3JpZ2lu
Brevo: xkeysib- xsmtpsib-
Brave: BSA
Browserbase: bb_live_
Buildkite: bkua_ bkct_ bkat_
Cerebras: csk-
CircleCI: CCIPAT_ CCIPRJ_
Clojars: CLOJARS_
Cloudflare: cfat_ cfut_ cfk_
Contentful: CFPAT-
Context7: ctx7sk-
Cursor: crsr_
Datadog: ddapi_ ddapp_
dbt: dbtc_ dbtu_
Deno: ddp_ ddo_ ddw_
DigitalOcean: dop_v1_ doo_v1_ dor_v1_
Docker: dckr_pat_ dckr_oat_
Doppler: dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.
Duffel: duffel_live_ duffel_test_
Dynatrace: dt0c01. dt0s01. dt0s02. dt0s16.
E2B: e2b_
EasyPost: EZAK EZTK
Facebook: EAA IGAA IGQV
Figma: figd_ figo_ figp_ figu_ figoh_ figor_
Fireworks: fw_
Flutterwave: FLWSECK- FLWSECK_TEST-
Fly: fo1_ fm1a_ fm1r_ fm2_
Frame: fio-u-
GitBook: gb_api_
GitHub: gho_ ghp_ ghr_ ghs_ ghu_ github_pat_
GoCardless: live_ sandbox_
GitLab: glpat- gldt- glrt- glptt- glagent- gloas- glcbt- glimt- glft- glsoat- glffct- GR1348941
Google: ya29. GOCSPX- 1//0 AKfycb
Grafana: glc_ glsa_
Groq: gsk_
Heroku: HRKU-
Hugging Face: hf_ api_org_
Infracost: ico-
Intercom: dG9rO
Inngest: signkey-
Jina: jina_
LangSmith: lsv2_pt_ lsv2_sk_
Langfuse: sk-lf-
Linear: lin_api_ lin_oauth_
Mem0: m0-
MailerSend: mlsn.
Mapbox: sk.eyJ tk.eyJ
Mercado Pago: APP_USR-
Mercury: mercury_production_ mercury_production_rma_ mercury_production_wma_
Modal: ak- as-
MongoDB: mdb_sa_sk_
NVIDIA: nvapi-
Neon: napi_
Netlify: nfb_ nfc_ nfo_ nfp_ nfu_
New Relic: NRAK- NRII- NRJS- NRAL-
Notion: ntn_
npm: npm_
Nostr: nsec1
OneSignal: os_v2_app_ os_v2_org_
OpenAI: sk-proj- sk-svcacct- sk-admin- sk-None- sess-
Paddle: pdl_live_apikey_ pdl_sdbx_apikey_
Paseto: v1.local. v2.local. v3.local. v4.local.
Perplexity: pplx-
Pinecone: pcsk_
PlanetScale: pscale_tkn_ pscale_pw_ pscale_oauth_
Polar: polar_oat_ polar_pat_
PostHog: phs_ phx_
Portainer: ptr_
Postman: PMAK-
Prefect: pnb_ pnu_
Pulumi: pul-
PyPI: pypi-
Razorpay: rzp_live_ rzp_test_
Readme: rdme_
Render: rnd_
Replicate: r8_
RubyGems: rubygems_
Scalingo: tk-us-
SendGrid: SG.
Sentry: sntrys_ sntryu_
Shippo: shippo_live_ shippo_test_
Shopify: shpat_ shpca_ shppa_ shpss_ shptka_ shpua_
Slack: xoxa- xoxb- xoxc- xoxd- xoxe- xoxe. xoxo- xoxp- xoxr- xoxs- xapp-
Snyk: snyk_
Sonar: sqa_ sqp_ squ_
Sourcegraph: sgp_ slk_
Square: sq0atp- sq0csp- sq0idp- EAAA
Statsig: secret- console-
Stripe: sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_ whsec_
Supabase: sbp_ sb_secret_
Tailscale: tskey-
Tavily: tvly-
Telnyx: KEY0
Together: tgp_v1_
Trigger: tr_dev_ tr_prod_ tr_pat_
Typeform: tfp_
Unkey: unkey_
Vault: hvb. hvr. hvs.
Vercel: vca_ vci_ vck_ vcp_ vcr_
Voyage: pa-
WakaTime: waka_
Weights and Biases: wandb_v1_
xAI: xai-
xprv: xprv yprv zprv tprv
You: ydc-sk-
Zep: z_1d
Zuplo: zpka_
`;

/** Their whole shape, where the beginning alone could be anything else. */
const SHAPES = String.raw`
web token: eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}|eyJ(?:hbGci|0eXAi|raWQi)[\w-]{8,}(?:\.[\w-]*){2,4}
AWS key id: (?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b
AWS: A[KS]IA[A-Z0-9]{16}\W{1,9}(?:[A-Za-z_]{1,20}\W{1,4}){0,3}([A-Za-z0-9+/]{40})(?![\w+/=])
Docker: eyJhdXRocyI6[\w+/=-]{20,}
Firebase: AAAA[\w-]{7}:APA91b[\w-]{100,200}
Google: AIza[\w-]{35}(?![\w-])
Twilio: (?:SK|AC)[0-9a-f]{32}\b
Twilio: AC[0-9a-f]{32}\W{1,5}([0-9a-f]{32})\b
AWS: Signature=([0-9a-f]{64})\b
Mailgun: key-[0-9a-f]{32}\b
Cursor: key_[0-9a-f]{40,200}\b
Twitch: oauth:[a-z0-9]{30}\b
Mailchimp: [0-9a-f]{32}-us\d{1,2}\b
Zhipu: [0-9a-f]{32}\.[A-Za-z0-9]{16}\b
Discord: [MNO][A-Za-z\d_-]{23,25}\.[\w-]{6}\.[\w-]{27,}
Telegram: (?:bot)?(\d{8,10}:AA[\w-]{32,34})(?![\w-])
Cargo: cio[A-Za-z0-9]{32}\b
Cloudflare: eyJhIjoi[\w+/=-]{80,}|v1\.0-[0-9a-f]{24}-[0-9a-f]{146}\b
Resend: re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}\b
OpenShift: sha256~[\w-]{43}(?![\w-])
Pipedream: eo[a-z0-9]{14}\.m\.pipedream\.net
PayPal: access_token\$production\$\w{16}\$[0-9a-f]{32}\b
ngrok: 2[A-Za-z0-9]{26}_[A-Za-z0-9]{21}\b
Octopus: API-[A-Z0-9]{26,32}\b
NuGet: oy2[a-z0-9]{43}\b
Terraform: \w{14}\.atlasv1\.[\w=-]{60,}
Airtable: pat[A-Za-z0-9]{14}\.[0-9a-f]{64}\b
Notion: secret_[A-Za-z0-9]{43}\b
Dropbox: sl\.[\w.-]{60,}
DeepSeek: sk-[0-9a-f]{32}\b
OpenAI: sk-(?:[a-z0-9-]{1,20}-)?[A-Za-z0-9]{40,}
Helicone: sk-helicone-\w{7}(?:-\w{7}){3}
ElevenLabs: sk_[0-9a-f]{48}\b
ClickUp: pk_\d{6,10}_[A-Z0-9]{32}\b
Salesforce: 00D[A-Za-z0-9]{12,15}![\w.-]{60,200}
Scaleway: SCW[A-Z0-9]{17}\b
Asana: [12]\/\d{16}(?:\/\d{16})?:[0-9a-f]{32}\b
Firecrawl: fc-[0-9a-f]{32}\b
Databricks: d(?:api|kea|ose)[0-9a-fA-F]{32}(?:-\d)?\b
Azure: (?:AccountKey|SharedAccessKey|SharedAccessSignature)=([A-Za-z0-9+/%=&:._-]{20,})
Azure: [\w~.-]{3}8Q~[\w~.-]{31,34}
Alibaba: LTAI[A-Za-z0-9]{12,24}\b
Tencent: AKID[A-Za-z0-9]{32}\b
1Password: A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}\b
LaunchDarkly: (?:sdk|mob)-UUID\b
HubSpot: pat-[a-z]{2}\d-UUID\b
WakaTime: waka_UUID\b
DeepL: UUID:fx\b
Context7: ctx7sk-UUID\b
Langfuse: sk-lf-UUID\b
Plaid: access-(?:sandbox|development|production)-UUID\b
Yandex: AQVN[\w-]{35,38}(?![\w-])|t1\.[\w-]+={0,2}\.[\w-]{86}={0,2}
Ably: [\w-]{6}\.[\w-]{6}:[\w-]{43}(?![\w-])
Rancher: token-\w{5,8}:([a-z0-9]{54})\b
Bitcoin: [5KL][1-9A-HJ-NP-Za-km-z]{50,51}\b
`;

/** The lines of a table: what stands before the first ": ", and the rest. */
export const rows = (table: string): (readonly [kind: string, rest: string])[] =>
  Array.from(table.matchAll(/^(.+?): (.+)$/gm), ([, kind = "", rest = ""]) => [kind, rest]);
const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const KINDS = new Map(
  rows(PREFIXES).flatMap(([kind, starts]) => starts.split(" ").map((start) => [start, kind])),
);
/** The longest first: "sk-ant-" is no "sk-". */
const STARTS = [...KINDS.keys()]
  .sort((one, other) => other.length - one.length)
  .map((start) => start.replace(/\W/g, String.raw`\$&`));
const BODY = String.raw`[\w+/=~-]{1,4000}(?:\.[\w+/=~-]{1,4000}){0,8}`;
/** How a token begins, and whether the body behind that is one. */
const BEGUN: readonly (readonly [shape: RegExp, isToken: (body: string) => boolean])[] = [
  [
    new RegExp(String.raw`(?<![\w-])(${STARTS.join("|")})(${BODY})`, "g"),
    (body) =>
      isDrawn(body, 14) ||
      (body.length >= 20 &&
        !WORD.test(body) &&
        (/\d/.test(body) || turnsOf(body) >= body.length / 4)),
  ],
  // A word for a secret in its beginning says of any service's token what it is.
  [
    inOrder(
      /\b(?!pk_|[a-z]{2,9}_publishable)/g,
      /([a-z\d]{2,12}_(?:live|test|prod|api|pat|sk|secret|key|token|apikey)_)(\w{20,})/g,
    ),
    isDrawn,
  ],
  // No name of a thing is as long, and has letters of both cases and digits in turn.
  [
    inOrder(
      /(?<![\w.+/=-])(?!phc_|pk_|sha\d|[a-z]{2,9}_publishable)/g,
      /([a-z][a-z0-9]{1,11}[_-])((?=\w*[a-z])(?=\w*[A-Z])\w{34,})(?![+/=-])/g,
    ),
    isDrawn,
  ],
];

/** A shape matches in such runs alone: a seventh of most texts, and nothing of many. */
const RUN = /[^\s"'`<>()[\]{},;]{16,}/g;

const SEARCHES = rows(SHAPES).map(([kind, shape]) => {
  const source = String.raw`(?<![A-Za-z0-9_])(?:${shape.replace("UUID", UUID)})`;
  return { kind, shape: new RegExp(source, "g"), alone: new RegExp(source) };
});

export function tokensIn(text: string): Secret[] {
  const runs = text.match(RUN)?.join(" ");
  if (runs === undefined) return [];
  return [
    ...SEARCHES.flatMap(({ kind, shape, alone }) =>
      alone.test(runs) ? Array.from(text.matchAll(shape), (match) => ending(match, kind)) : [],
    ),
    ...BEGUN.flatMap(([shape, isToken]) =>
      Array.from(text.matchAll(shape))
        .filter(([, , body = ""]) => isToken(body))
        .map(({ 0: whole, 1: start = "", index }) => ({
          start: index,
          end: index + whole.length,
          kind: KINDS.get(start) ?? "token",
        })),
    ),
  ];
}
