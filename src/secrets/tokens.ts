import { either } from "../base/patterns.ts";
import { ending, type Secret } from "./values.ts";

/**
 * Tokens known by their shape that the package's rules leave out, each as the issuer documents it.
 * A prefix of its own and a body no word has: what could be anything else is left to the names
 * beside it.
 */
const SHAPES: Readonly<Record<string, RegExp>> = {
  "age key": /\bAGE-SECRET-KEY-1[0-9A-Z]{58}\b/g,
  "web token": /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/g,
  "AWS key id": /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b/g,
  Google: /\bAIza[\w-]{35}(?![\w-])|\bya29\.[\w-]{20,}|\bGOCSPX-[\w-]{24,}/g,
  Stripe: /\b(?:sk|rk)_(?:live|test|prod)_[A-Za-z0-9]{16,}|\bwhsec_[A-Za-z0-9+/=]{24,}/g,
  Twilio: /\b(?:SK|AC)[0-9a-f]{32}\b/g,
  SendGrid: /\bSG\.[\w-]{16,}\.[\w-]{16,}/g,
  Mailgun: /\bkey-[0-9a-f]{32}\b/g,
  Mailchimp: /\b[0-9a-f]{32}-us\d{1,2}\b/g,
  Brevo: /\bxkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}\b/g,
  Slack: either(
    /\bxox[abeoprs]-[\w-]{10,}|\bxapp-\d-[A-Z0-9]+-\d+-[a-z0-9]+/g,
    /https:\/\/hooks\.slack\.com\/(?:services|workflows)\/[\w/+-]{20,}/g,
  ),
  Discord: either(
    /\b[MNO][A-Za-z\d_-]{23,25}\.[\w-]{6}\.[\w-]{27,}/g,
    /https:\/\/(?:\w+\.)?discord(?:app)?\.com\/api\/webhooks\/\d+\/[\w-]{20,}/g,
  ),
  Telegram: /(?<!\d)\d{8,10}:AA[\w-]{32,34}(?![\w-])/g,
  GitHub: /\bgh[oprsu]_[A-Za-z0-9]{36,}|\bgithub_pat_\w{22,}/g,
  GitLab: /\bgl(?:pat|dt|rt|ptt|agent|oas|cbt|imt|ft|soat|ffct)-[\w-]{20,}/g,
  Bitbucket: /\bATBB[A-Za-z0-9]{24,}/g,
  Atlassian: /\bATATT3[\w=-]{60,}/g,
  npm: /\bnpm_[A-Za-z0-9]{36}\b/g,
  PyPI: /\bpypi-AgEI[\w-]{40,}/g,
  RubyGems: /\brubygems_[0-9a-f]{48}\b/g,
  Cargo: /\bcio[A-Za-z0-9]{32}\b/g,
  Docker: /\bdckr_(?:pat|oat)_[\w-]{20,}/g,
  DigitalOcean: /\bdo[opr]_v1_[0-9a-f]{64}\b/g,
  Doppler: /\bdp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{30,}/g,
  Heroku: /\bHRKU-[\w-]{30,}/g,
  Fly: /\bfo1_[\w-]{40,}|\b(?:FlyV1 )?fm\d[ar]?_[\w+/=,-]{40,}/g,
  Netlify: /\bnf[bcopu]_[A-Za-z0-9]{36,}/g,
  Vercel: /\bvc[pciark]_[A-Za-z0-9]{24,}\b/g,
  Cloudflare: /\bcf(?:at|ut|k)_[A-Za-z0-9]{48}\b|\bv1\.0-[0-9a-f]{24}-[0-9a-f]{146}\b/g,
  Tailscale: /(?<![A-Za-z])tskey-[a-z]{2,20}-[A-Za-z0-9]{6,}(?:-[A-Za-z0-9]{16,})?/g,
  Render: /\brnd_[A-Za-z0-9]{28,}/g,
  Neon: /\bnapi_[a-z0-9]{60,}/g,
  Resend: /\bre_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}\b/g,
  Buildkite: /\bbk(?:ua|ct|at)_[0-9a-zA-Z]{40,}/g,
  CircleCI: /\bCCI(?:PAT|PRJ)_[A-Za-z0-9]{22}_[0-9a-f]{40}\b/g,
  Sonar: /\bsq[apu]_[0-9a-f]{40}\b/g,
  Sourcegraph: /\bsgp_(?:[0-9a-fA-F]{16}_|local_)?[0-9a-fA-F]{40}\b/g,
  OpenShift: /\bsha256~[\w-]{43}(?![\w-])/g,
  Octopus: /\bAPI-[A-Z0-9]{26,32}\b/g,
  NuGet: /\boy2[a-z0-9]{43}\b/g,
  Pulumi: /\bpul-[0-9a-f]{40}\b/g,
  Terraform: /\b[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,}/g,
  Vault: /\bhv[bsr]\.[\w-]{24,}/g,
  PlanetScale: /\bpscale_(?:tkn|pw|oauth)_[\w=.-]{32,}/g,
  Supabase: /\bsb(?:p|_secret)_[\w-]{30,}/g,
  Prefect: /\bpn[bu]_[a-z0-9]{36}\b/g,
  Postman: /\bPMAK-[0-9a-f]{24}-[0-9a-f]{34}\b/g,
  "New Relic": /\bNR(?:AK|II|JS|AL)-[A-Za-z0-9-]{19,}/g,
  Sentry: /\bsntry[su]_[\w+/=-]{40,}/g,
  Dynatrace: /\bdt0[a-z]\d{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}\b/g,
  Airtable: /\bpat[A-Za-z0-9]{14}\.[0-9a-f]{64}\b/g,
  Linear: /\blin_(?:api|oauth)_[A-Za-z0-9]{32,}/g,
  Notion: /\b(?:secret_[A-Za-z0-9]{43}|ntn_[A-Za-z0-9]{40,})\b/g,
  Figma: /\bfig(?:[dopu]|o[hor])_[\w-]{36,}/g,
  Typeform: /\btfp_[\w.-]{44,}/g,
  Square: /\bsq0(?:atp|csp|idp)-[\w-]{22,}|\bEAAA[\w-]{60}\b/g,
  Shopify: /\bshp(?:at|ca|pa|ss|tka|ua)_[0-9a-zA-Z]{32,64}\b/g,
  Shippo: /\bshippo_(?:live|test)_[0-9a-f]{40}\b/g,
  EasyPost: /\bEZ[AT]K[A-Za-z0-9]{54}\b/g,
  Flutterwave: /\bFLWSECK(?:_TEST)?-[0-9a-zA-Z]{12,}(?:-X)?/g,
  Dropbox: /\bsl\.[\w-]{60,}/g,
  Facebook: /\bEAA(?:B|C|G|J|M)[A-Za-z0-9]{60,}/g,
  Adafruit: /\baio_[A-Za-z0-9]{28}\b/g,
  Anthropic: /\bsk-ant-[\w-]{24,}/g,
  OpenAI: either(
    /\bsk-(?:proj|svcacct|admin|None)-[\w-]{32,}/g,
    /\bsk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}|\bsk-(?:or-v1-)?[A-Za-z0-9]{40,}/g,
  ),
  Groq: /\bgsk_[A-Za-z0-9]{40,}/g,
  xAI: /\bxai-[A-Za-z0-9]{60,}/g,
  "Hugging Face": /\b(?:hf|api_org)_[A-Za-z0-9]{30,}/g,
  DeepSeek: /\bsk-[0-9a-f]{32}\b/g,
  ElevenLabs: /\bsk_[0-9a-f]{48}\b/g,
  Langfuse: /\bsk-lf-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g,
  LangSmith: /\blsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}\b/g,
  Pinecone: /\bpcsk_[A-Za-z0-9]{4,8}_[A-Za-z0-9]{50,}/g,
  NVIDIA: /\bnvapi-[\w-]{60,}/g,
  Cerebras: /\bcsk-[a-z0-9]{40,}/g,
  Together: /\btgp_v1_[\w-]{40,}/g,
  Tavily: /\btvly-(?:dev-|prod-)?[A-Za-z0-9]{30,}/g,
  Firecrawl: /\bfc-[0-9a-f]{32}\b/g,
  Jina: /\bjina_[0-9a-f]{32}[\w-]{20,}/g,
  E2B: /\be2b_[0-9a-f]{40}\b/g,
  Perplexity: /\bpplx-[A-Za-z0-9]{40,}/g,
  Replicate: /\br8_[A-Za-z0-9]{37}\b/g,
  Fireworks: /\bfw_[A-Za-z0-9]{22,}\b/g,
  Databricks: /\bd(?:api|kea|ose)[0-9a-fA-F]{32}(?:-\d)?\b/g,
  "Azure storage":
    /\b(?:AccountKey|SharedAccessKey|SharedAccessSignature)=[A-Za-z0-9+/%=&:._-]{20,}/g,
  Azure: /\b[\w~.-]{3}8Q~[\w~.-]{31,34}/g,
  Alibaba: /\bLTAI[A-Za-z0-9]{12,24}\b/g,
  Tencent: /\bAKID[A-Za-z0-9]{32}\b/g,
  "1Password": either(
    /\bops_eyJ[\w+/=-]{100,}/g,
    /\bA3-[A-Z0-9]{6}-(?:[A-Z0-9]{11})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}\b/g,
    /\bA3-[A-Z0-9]{6}-(?:[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}\b/g,
  ),
  Grafana: /\bgl(?:c|sa)_[\w+/=]{32,}/g,
  Contentful: /\bCFPAT-[\w-]{43}(?![\w-])/g,
  Mapbox: /\b[st]k\.eyJ[\w-]{40,}\.[\w-]{16,}/g,
  PostHog: /\bph[xs]_[A-Za-z0-9]{40,}/g,
  LaunchDarkly: /\bsdk-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b/g,
  HubSpot: /\bpat-[a-z]{2}\d-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g,
  Plaid:
    /\baccess-(?:sandbox|development|production)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g,
  Duffel: /\bduffel_(?:test|live)_[\w=-]{43}(?![\w-])/g,
  Yandex: /\bAQVN[\w-]{35,38}(?![\w-])|\bt1\.[A-Z0-9a-z_-]+={0,2}\.[\w-]{86}={0,2}/g,
  Clojars: /\bCLOJARS_[0-9a-z]{60}\b/g,
  Artifactory: /\bAKCp[A-Za-z0-9]{60,}/g,
};

/** A shape matches in such runs alone: a seventh of most texts, and nothing of many. */
const RUN = /[^\s"'`<>()[\]{},;]{16,}/g;

const SEARCHES = Object.entries(SHAPES).map(([kind, shape]) => ({
  kind,
  shape,
  alone: new RegExp(shape.source),
}));

export function tokensIn(text: string): Secret[] {
  const runs = text.match(RUN)?.join(" ");
  if (runs === undefined) return [];
  return SEARCHES.flatMap(({ kind, shape, alone }) =>
    alone.test(runs) ? Array.from(text.matchAll(shape), (match) => ending(match, kind)) : [],
  );
}
