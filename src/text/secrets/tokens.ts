import { type Secret } from "./span.ts";

/**
 * Tokens known by their shape that the package's rules leave out, each as the issuer documents it. A prefix of its own and a
 * body no word has: what could be anything else is left to the names beside it.
 */
const SHAPES: readonly (readonly [kind: string, shape: RegExp])[] = [
  ["private key", /-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]{0,20000}?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|$)/g],
  ["age key", /\bAGE-SECRET-KEY-1[0-9A-Z]{58}\b/g],
  ["web token", /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/g],
  ["AWS key id", /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b/g],
  ["Google", /\bAIza[\w-]{35}(?![\w-])|\bya29\.[\w-]{20,}|\bGOCSPX-[\w-]{24,}/g],
  ["Stripe", /\b(?:sk|rk)_(?:live|test|prod)_[A-Za-z0-9]{16,}|\bwhsec_[A-Za-z0-9+/=]{24,}/g],
  ["Twilio", /\b(?:SK|AC)[0-9a-f]{32}\b/g],
  ["SendGrid", /\bSG\.[\w-]{16,}\.[\w-]{16,}/g],
  ["Mailgun", /\bkey-[0-9a-f]{32}\b/g],
  ["Mailchimp", /\b[0-9a-f]{32}-us\d{1,2}\b/g],
  ["Brevo", /\bxkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}\b/g],
  ["Slack", /\bxox[abeoprs]-[\w-]{10,}|\bxapp-\d-[A-Z0-9]+-\d+-[a-z0-9]+|https:\/\/hooks\.slack\.com\/(?:services|workflows)\/[\w/+-]{20,}/g],
  ["Discord", /\b[MNO][A-Za-z\d_-]{23,25}\.[\w-]{6}\.[\w-]{27,}|https:\/\/(?:\w+\.)?discord(?:app)?\.com\/api\/webhooks\/\d+\/[\w-]{20,}/g],
  ["Telegram", /\b\d{8,10}:AA[\w-]{33}(?![\w-])/g],
  ["GitHub", /\bgh[oprsu]_[A-Za-z0-9]{36,}|\bgithub_pat_\w{22,}/g],
  ["GitLab", /\bgl(?:pat|dt|rt|ptt|agent|oas|cbt|imt|ft|soat|ffct)-[\w-]{20,}/g],
  ["Bitbucket", /\bATBB[A-Za-z0-9]{24,}/g],
  ["Atlassian", /\bATATT3[\w=-]{60,}/g],
  ["npm", /\bnpm_[A-Za-z0-9]{36}\b/g],
  ["PyPI", /\bpypi-AgEI[\w-]{40,}/g],
  ["RubyGems", /\brubygems_[0-9a-f]{48}\b/g],
  ["Cargo", /\bcio[A-Za-z0-9]{32}\b/g],
  ["Docker", /\bdckr_(?:pat|oat)_[\w-]{20,}/g],
  ["DigitalOcean", /\bdo[opr]_v1_[0-9a-f]{64}\b/g],
  ["Doppler", /\bdp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{30,}/g],
  ["Heroku", /\bHRKU-[\w-]{30,}/g],
  ["Fly", /\bfo1_[\w-]{40,}|\bFlyV1 fm\d[ar]?_[\w+/=,-]{40,}/g],
  ["Netlify", /\bnfp_[A-Za-z0-9]{36,}/g],
  ["Pulumi", /\bpul-[0-9a-f]{40}\b/g],
  ["Terraform", /\b[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,}/g],
  ["Vault", /\bhv[bsr]\.[\w-]{24,}/g],
  ["PlanetScale", /\bpscale_(?:tkn|pw|oauth)_[\w=.-]{32,}/g],
  ["Supabase", /\bsb(?:p|_secret)_[\w-]{30,}/g],
  ["Prefect", /\bpn[bu]_[a-z0-9]{36}\b/g],
  ["Postman", /\bPMAK-[0-9a-f]{24}-[0-9a-f]{34}\b/g],
  ["New Relic", /\bNR(?:AK|II|JS|AL)-[A-Za-z0-9-]{19,}/g],
  ["Sentry", /\bsntry[su]_[\w+/=-]{40,}/g],
  ["Dynatrace", /\bdt0[a-z]\d{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}\b/g],
  ["Airtable", /\bpat[A-Za-z0-9]{14}\.[0-9a-f]{64}\b/g],
  ["Linear", /\blin_(?:api|oauth)_[A-Za-z0-9]{32,}/g],
  ["Notion", /\b(?:secret_[A-Za-z0-9]{43}|ntn_[A-Za-z0-9]{40,})\b/g],
  ["Figma", /\bfig[dopu]_[\w-]{36,}/g],
  ["Typeform", /\btfp_[\w.-]{44,}/g],
  ["Square", /\bsq0(?:atp|csp|idp)-[\w-]{22,}|\bEAAA[\w-]{60}\b/g],
  ["Shopify", /\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}\b/g],
  ["Shippo", /\bshippo_(?:live|test)_[0-9a-f]{40}\b/g],
  ["EasyPost", /\bEZ[AT]K[A-Za-z0-9]{54}\b/g],
  ["Flutterwave", /\bFLWSECK(?:_TEST)?-[0-9a-zA-Z]{12,}(?:-X)?/g],
  ["Dropbox", /\bsl\.[\w-]{60,}/g],
  ["Facebook", /\bEAA(?:B|C|G|J|M)[A-Za-z0-9]{60,}/g],
  ["Adafruit", /\baio_[A-Za-z0-9]{28}\b/g],
  ["Anthropic", /\bsk-ant-[\w-]{24,}/g],
  ["OpenAI", /\bsk-(?:proj|svcacct|admin|None)-[\w-]{32,}|\bsk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}|\bsk-(?:or-v1-)?[A-Za-z0-9]{40,}/g],
  ["Groq", /\bgsk_[A-Za-z0-9]{40,}/g],
  ["xAI", /\bxai-[A-Za-z0-9]{60,}/g],
  ["Hugging Face", /\b(?:hf|api_org)_[A-Za-z0-9]{30,}/g],
  ["Perplexity", /\bpplx-[A-Za-z0-9]{40,}/g],
  ["Replicate", /\br8_[A-Za-z0-9]{37}\b/g],
  ["Fireworks", /\bfw_[A-Za-z0-9]{22,}\b/g],
  ["Databricks", /\bdapi[0-9a-f]{32}(?:-\d)?\b/g],
  ["Azure storage", /\b(?:AccountKey|SharedAccessKey|SharedAccessSignature)=[A-Za-z0-9+/%=&:._-]{20,}/g],
  ["Azure", /\b[\w~.-]{3}8Q~[\w~.-]{31,34}/g],
  ["Alibaba", /\bLTAI[A-Za-z0-9]{12,24}\b/g],
  ["Tencent", /\bAKID[A-Za-z0-9]{32}\b/g],
  ["1Password", /\bops_eyJ[\w+/=-]{100,}|\bA3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}\b/g],
  ["Grafana", /\bgl(?:c|sa)_[\w+/=]{32,}/g],
  ["Clojars", /\bCLOJARS_[0-9a-z]{60}\b/g],
  ["Artifactory", /\bAKCp[A-Za-z0-9]{60,}/g],
];

/** Nothing that a shape could match: most texts end here. */
const ANY_RUN = /[\w+/=.:-]{16,}|-----BEGIN/;

export function tokensIn(text: string): Secret[] {
  if (!ANY_RUN.test(text)) return [];
  return SHAPES.flatMap(([kind, shape]) => Array.from(text.matchAll(shape), (match) => ({ start: match.index, end: match.index + match[0].length, kind })));
}
