import type { PLATFORM_ERROR_TEXTS } from '../../../../core/explanations/platform-errors.js'
import type { Translated } from '../translating.js'

const LATER = 'Später noch einmal senden. Es muss nichts geändert werden.'
const OPERATOR = 'Ein Betreiber muss sich die Nummer ansehen: auf der Seite der Nummer oder im Unternehmenskonto bei der Plattform.'
const TEMPLATE = 'Das Gesendete mit den Platzhaltern der Vorlage vergleichen und noch einmal senden.'

/** The meaning of the platform's errors, and how to fix them. */
export const platformErrors: Translated<typeof PLATFORM_ERROR_TEXTS> = {
  tokenExpired: { means: 'Das Zugriffstoken des Absenders ist abgelaufen oder wurde widerrufen.', fix: 'Ein neues Zugriffstoken für den Absender eintragen.' },
  permissionMissing: { means: 'Dem Zugriffstoken fehlt eine Berechtigung.', fix: 'Dem Token die Berechtigung geben, Nachrichten zu senden, oder ein anderes eintragen.' },
  platformFault: {
    means: 'Die Plattform hatte selbst eine Störung.',
    fix: 'Die Nachricht ansehen: Sobald die Plattform sie gemeldet hat, ist sie nicht mehr unbestätigt. Eine fehlgeschlagene Nachricht darf noch einmal gesendet werden.',
  },
  tooManyCalls: { means: 'In kurzer Zeit wurden zu viele Nachrichten gesendet.', fix: 'Weniger Nachrichten auf einmal senden. Postern verteilt seine Aufrufe; andere Programme nutzen vielleicht dasselbe Konto.' },
  numberGone: { means: 'Die Nummer des Absenders gibt es bei der Plattform nicht mehr.', fix: OPERATOR },
  valueRefused: { means: 'Die Plattform hat einen Wert der Nachricht nicht angenommen.', fix: 'Lesen, was die Plattform dazu sagt, die Nachricht berichtigen und noch einmal senden.' },
  refusedWithoutReason: { means: 'Die Plattform hat die Nachricht nicht angenommen und sagt nicht, warum.', fix: 'Die Nachricht mit einer vergleichen, die ankam, und ändern, was anders ist.' },
  accountLocked: { means: 'Die Plattform hat das Unternehmenskonto gesperrt.', fix: OPERATOR },
  customerBlocked: { means: 'Das Unternehmen hat diesen Kunden blockiert.', fix: 'Die Blockierung bei der Plattform aufheben, falls sie ein Versehen war.' },
  experiment: { means: 'Die Plattform hält Marketing für diesen Kunden im Rahmen eines Versuchs zurück.', fix: 'Nicht wiederholen. Schreiben, wenn der Kunde geschrieben hat.' },
  countryNotAllowed: { means: 'Das Unternehmenskonto darf Kunden in diesem Land nicht schreiben.', fix: 'Nicht wiederholen. Die Plattform entscheidet, in welche Länder ein Konto schreiben darf.' },
  partMissing: { means: 'Ein Teil der Nachricht fehlt.', fix: 'Die Nachricht vervollständigen und noch einmal senden.' },
  groupRefused: { means: 'Die Plattform hat etwas abgelehnt, das eine Gruppe betrifft.', fix: 'An einen einzelnen Kunden senden.' },
  sentToItself: { means: 'Die Nachricht ging an den Absender selbst.', fix: 'An eine andere Nummer senden.' },
  notDeliverable: {
    means: 'Die Nachricht war nicht zustellbar: Vielleicht nutzt die Nummer das Netz nicht, die App des Kunden ist zu alt, oder die Bedingungen wurden nicht angenommen.',
    fix: 'Die Nummer prüfen. Den Kunden auf anderem Weg bitten, die App zu aktualisieren oder zu schreiben.',
  },
  notInTestList: { means: 'Der Absender ist eine Testnummer, und dieser Kunde steht nicht in ihrer Liste.', fix: 'Die Nummer bei der Plattform in die Liste der Testnummer aufnehmen, oder einen echten Absender nehmen.' },
  nameNotApproved: { means: 'Der Anzeigename des Absenders ist nicht genehmigt.', fix: OPERATOR },
  paymentMissing: { means: 'Das Unternehmenskonto kann nicht zahlen: Die Zahlungsart fehlt, wurde abgelehnt oder ist ausgeschöpft.', fix: 'Die Zahlungsart bei der Plattform in Ordnung bringen und noch einmal senden.' },
  notRegistered: { means: 'Die Nummer des Absenders ist bei der Plattform nicht registriert.', fix: OPERATOR },
  windowClosed: { means: 'Das Servicefenster war geschlossen: Der Kunde hat zuletzt vor mehr als 24 Stunden geschrieben.', fix: 'Stattdessen eine genehmigte Vorlage senden.' },
  limitedAsSpam: { means: 'Kunden haben den Absender blockiert oder gemeldet, deshalb schränkt die Plattform ihn ein.', fix: 'Nichts mehr senden, was Kunden nicht wollen. Die Einschränkung endet nach einiger Zeit.' },
  enoughMarketing: { means: 'Die Plattform hat die Nachricht zurückgehalten, weil dieser Kunde genug Marketing bekommen hat.', fix: 'Nicht innerhalb von 24 Stunden wiederholen.' },
  marketingStopped: { means: 'Der Kunde hat Marketing von diesem Unternehmen abbestellt.', fix: 'Diesem Kunden kein Marketing senden.' },
  kindNotSupported: { means: 'Die Plattform unterstützt diese Art von Nachricht nicht.', fix: 'Eine andere Art von Nachricht senden.' },
  customerFileUnread: { means: 'Eine Datei des Kunden konnte nicht gelesen werden.', fix: 'Den Kunden bitten, die Datei noch einmal zu senden.' },
  fileUnread: { means: 'Eine Datei konnte nicht gelesen werden.', fix: 'Die Datei und ihre Adresse prüfen und noch einmal senden.' },
  tooManyToCustomer: { means: 'Diesem Kunden wurden in kurzer Zeit zu viele Nachrichten gesendet.', fix: LATER },
  maintenance: { means: 'Das Konto des Absenders wird bei der Plattform gerade gewartet.', fix: LATER },
  notShown: { means: 'Die Plattform kann eine Nachricht des Kunden hier nicht zeigen.', fix: 'Die Nachricht in der App lesen.' },
  needsPhoneNumber: { means: 'Die Plattform nimmt diese Nachricht nur für eine Telefonnummer, nicht für eine Nutzer-ID.', fix: 'An die Telefonnummer des Kunden senden.' },
  marketingOff: { means: 'Für dieses Konto ist Marketing abgeschaltet.', fix: OPERATOR },
  wrongCategories: {
    means: 'Zu viele Vorlagen dieses Kontos waren in einer falschen Kategorie, deshalb schränkt die Plattform es ein.', fix: OPERATOR,
  },
  parameterCount: { means: 'Die Nachricht hat nicht so viele Werte, wie die Vorlage Platzhalter hat.', fix: TEMPLATE },
  noSuchTemplate: { means: 'Es gibt keine genehmigte Vorlage dieses Namens in dieser Sprache.', fix: 'Namen und Sprache in der Liste der Vorlagen prüfen, oder warten, bis die Vorlage genehmigt ist.' },
  templateTooLong: { means: 'Der Text der Vorlage ist mit diesen Werten zu lang.', fix: 'Mit kürzeren Werten senden.' },
  templateBreaksRule: { means: 'Die Vorlage verstößt gegen eine Regel der Plattform.', fix: 'Die Vorlage bei der Plattform ändern.' },
  parameterForm: { means: 'Ein Wert hat nicht die Form, die die Vorlage verlangt.', fix: TEMPLATE },
  templatePaused: { means: 'Die Plattform hat die Vorlage pausiert, weil Kunden sie gemeldet oder blockiert haben.', fix: 'Warten, bis sie wieder aktiv ist, oder sie bei der Plattform verbessern.' },
  templateDisabled: { means: 'Die Plattform hat die Vorlage endgültig deaktiviert.', fix: 'Eine andere Vorlage anlegen.' },
  flowBlocked: { means: 'Der Flow der Vorlage ist blockiert.', fix: 'Den Flow bei der Plattform in Ordnung bringen.' },
  flowThrottled: { means: 'Der Flow der Vorlage wurde zu oft gesendet.', fix: LATER },
  registeredLately: { means: 'Die Nummer des Absenders wurde vor Kurzem registriert oder entfernt.', fix: 'Einige Minuten warten und noch einmal senden.' },
  termsNotAccepted: { means: 'Das Unternehmen hat die Bedingungen der Plattform für Zahlungen nicht angenommen.', fix: 'Die Bedingungen bei der Plattform annehmen und noch einmal senden.' },
  notEligible: { means: 'Das Konto ist für diese Art von Marketing nicht zugelassen.', fix: OPERATOR },
  beingSetUp: { means: 'Das Konto ist für diese Art von Marketing noch nicht bereit.', fix: LATER },
  identityChanged: {
    means: 'Die Identität des Kunden ist nicht die, für die die Nachricht bestimmt war.',
    fix: 'Sicherstellen, dass es noch dieselbe Person ist, und die Nachricht ohne die Identität oder mit der neuen senden.',
  },
}
