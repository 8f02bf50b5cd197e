import { type Cues } from "./phrases.ts";

export const german: Cues = {
  fillers: "ok okay also und aber ja nein naja ach hey hallo bitte dann jetzt gut genau so",
  about: {
    phrases: "ich, wir, mein, meine, meiner, meinem, unser, unsere",
    match: "Mein Name ist Jonas. | Wir nutzen GitLab. | Unsere Tests laufen nachts.",
    not: "Danke! | Kannst du das prüfen?",
  },
  prefers: {
    phrases:
      "ich bevorzuge, ich mag, ich liebe, ich hasse, am liebsten, lieber, lieblings, ich möchte kein, ich möchte keine, ich will kein",
    match: "Ich trinke am liebsten Tee.",
    not: "Ich möchte einen Flug buchen.",
  },
  needs: {
    phrases: "allergisch, vegetarisch, vegan",
    match: "Ich bin allergisch gegen Nüsse.",
    not: "Ich esse gern Nüsse.",
  },
  rules: {
    phrases:
      "immer, nie, niemals, auf keinen fall, ab jetzt, ab sofort, von nun an, darf nicht, dürfen nicht, darf nie, muss immer, " +
      "müssen immer, nur mit, nicht ohne, jedes mal, grundsätzlich, ^keine, ^kein, freigeben, verboten",
    match: "Antworte immer auf Deutsch. | Ab sofort nur mit Tests. | Keine Konsolenausgaben!",
    not: "Wo liegt die Datei?",
  },
  decides: {
    phrases: "entschieden, beschlossen, wir nehmen, ich nehme, einigten uns, es bleibt bei, statt",
    match: "Wir nehmen Postgres. | Wir haben uns für Variante B entschieden.",
    not: "Was nehmen die anderen?",
  },
  plans: {
    phrases:
      "ich plane, wir planen, mein ziel, ich werde, wir werden, ich habe vor, ich möchte werden, ich ziehe, wir ziehen",
    match: "Ich plane eine Reise nach Japan. | Wir ziehen im Mai nach Bern.",
    not: "Planst du etwas?",
  },
  corrects: {
    phrases:
      "^doch nicht, ^falsch, stimmt nicht, ich meinte, ich habe mich vertan, geirrt, nicht mehr, sondern, korrektur, das ist falsch, " +
      "hättest, missverstanden, verschrieben",
    match: "Ich meinte Dienstag. | Der Port ist nicht 80, sondern 8080.",
    not: "Danke, passt.",
  },
  requests: {
    phrases:
      "bitte, kannst du, könntest du, können wir, würdest du, hilf mir, ich möchte, ich brauche, mach, schreib, prüfe, prüf, zeig, " +
      "erstelle, ändere, lösche, füge, baue, weiter",
    match: "Bitte storniere die Buchung. | Kannst du die Logs ansehen?",
    not: "Der Termin ist am Freitag.",
  },
  defers: {
    phrases: "später, irgendwann, vergiss nicht, erinnere mich, wenn du zeit hast",
    match: "Mach das später.",
    not: "Spätzle sind gut.",
  },
  withdraws: {
    phrases: "vergiss es, nicht mehr nötig, schon gut, hat sich erledigt",
    match: "Hat sich erledigt.",
    not: "Vergiss nicht die Milch.",
  },
  remember: {
    phrases: "merk dir, merke dir, denk daran, zur info, beachte",
    match: "Merk dir: der Code ist im Tresor.",
    not: "Gemerkt!",
  },
  thanks: {
    phrases: "danke, super, toll, perfekt, prima, klasse, freut mich, guten morgen, alles gut",
    match: "Danke dir!",
    not: "Frist ist Montag.",
  },
  done: {
    phrases:
      "fertig, erledigt, abgeschlossen, behoben, wurde, wurden, ich habe, erfolgreich, umgesetzt",
    match: "Alles fertig. | Die Buchung wurde storniert.",
    not: "Ich sehe nach.",
  },
  refuses: {
    phrases: "leider, ich kann nicht, nicht möglich, kann nicht, schlägt fehl",
    match: "Leider ist das nicht möglich.",
    not: "Es geht.",
  },
  because: {
    phrases: "weil, wegen, ursache, das problem, der grund, lag an, liegt an, unterstützt kein",
    match: "Es scheitert, weil der Port belegt ist.",
    not: "Ich lese die Datei.",
  },
  states: {
    phrases: "ist, sind, war, hat, läuft, nutzt, zieht, braucht, kostet, wird",
    match: "Das Treffen ist am Donnerstag um drei.",
    not: "Kopiere die Datei.",
  },
};
