/**
 * The 821 Chinese characters that stand in at least three tokens of two or more characters in o200k_base (counted in
 * its rank file). They are mostly read two to a token; any other costs one to three tokens by itself. Telling the two
 * apart takes the estimate from 15 % to 7 % at the 95th percentile, simplified, traditional and classical alike.
 */
const PAIRING = [
  "一丁七万三上下不与专世业东两个中丰为主举久么义之乐九也书买乱了予争事二于云五亚些交产享京人亿什今介从仕他付代以们件价任份企伊众优会传伦伯但位住体何作你使例保信修俺候倫值假做停偷像元充先",
  "克免兑党入全八公六共关其具典养内册写军冠准几凤凯凰出击分划列则创初判利别到制刷前力办功加务动助势動務包化北区医十千升午华协卓单南博卡印即历原去县参又及友双反发取受变口古另只可台右号司合",
  "吉同名后吗否吧听吹告员周命和品哈哪售商問啪喜器四回因团国图國土圣在地场址坚坛型城域基堂場增士声处备复外多夜大天太夫央头奇奖套女好如妇妻始姐委威娱婆婷子字存学宁安完官定宝实客宣家容宾密富",
  "察对导将尊小少尚就尼局展属山川州工左差已巴市布师希帝常幕平年幸广庆序库应底店度建开式引强当录彩影待很律得微德心必快态怎思性总恐息情惠想意愛感戏成我战截户房所手扑打扫找承技投护报拉拍招拿",
  "持挂指按捕换据排接推描提搜摩播操支收改放政效教数整文斗料断斯新方施旗无日早时明易星春是显時晚普景更曾最月有朋服期未本机杀权材条来東极林果查标校样根格案棋植業模次欢欧款止正此步每比毛民気",
  "水永求汇江沙没河治法注泰洲活派流测海消深添清港游湖源满演漫澳激点热無然熟爰爱爵爽片版牌牛物特犯状狗狠猜率王玩环现球理琪生用由申电男画界留略病発登白百的皇盈益监盘盛盟目直相看真着知码研破",
  "确碰示社神祥票禁福私种科秒秘积称程税稳稿空突立站竞章端符第等签简算管米类精系約素索網線編縮红级纪线组经绑结给络统续维综编网罗置美群老考者而职联聚肖股育胆能脑腾自至航艇色节花苏英苹草荐荣",
  "获菜菲营葡蕉藏虎融血行表被装西要观规视觉解言記設評読计认议讯记许论设诀证评识词试话询语说请诺读谁调谢谱豪財資贝财责账质购费资赌赚赛赢走起超越趣足跑路身載车转软载辑输込达过运近返还这进违",
  "连追退送选透通速造道邀那邦邮部都配采里重野量金钟钱铁银链销锋长開間门问间闻阅防阳际陆限院除险随雅集雷電需霸青非靠面韩音願页项预领频题额風飞餐首香马验骗體高鱼鸿麻黄黑默鼎龙",
].join("");

const flags = new Uint8Array(0x10000);
for (let at = 0; at < PAIRING.length; at += 1) flags[PAIRING.charCodeAt(at)] = 1;

/** 1 for a character that often shares a token with its neighbour, else 0. */
export const pairs = (code: number): number => flags[code] ?? 0;
