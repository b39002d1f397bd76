import type { searchTexts as english } from '../en/search.js'
import { countingIn, type Translated } from '../translating.js'

const counted = countingIn('de')

/** Texts of the search. */
export const searchTexts: Translated<typeof english> = {
  search: {
    title: 'Suche',
    label: 'Nachrichten, Kunden und Arbeitsbereiche suchen',
    labelOfAll: 'Arbeitsbereiche, Kunden und Nachrichten suchen',
    placeholder: 'Name, Nummer, ID',
    placeholderOfAll: 'Arbeitsbereich, Nr., ID',
    found: (count: string, sought: string) => `${count} Treffer für „${sought}“`,
    none: (sought: string) => `Keine Treffer für „${sought}“.`,
    what: 'Gesucht werden kann nach:',
    kinds: [
      'einer Telefonnummer mit Ländervorwahl, z. B. +49 151 23456789, oder der Nutzer-ID eines Kunden bei der Plattform',
      'der ID einer Nachricht: msg_… oder die der Plattform, etwa wamid.…',
      'Ihrer eigenen Referenz: einem Wert, den Ihre Anwendung an einer Nachricht vermerkt hat, z. B. einer Bestellnummer',
      'der ID einer Anfrage: der X-Request-Id ihrer Antwort',
      'dem Namen eines Kunden, der geschrieben hat, oder dem Anfang eines Wortes darin',
      'dem Namen eines Arbeitsbereichs',
    ],
    customers: 'Kunden',
    customer: 'Kunde',
    number: 'Telefonnummer',
    window: 'Fenster',
    open: 'offen',
    lastMessage: 'Letzte Nachricht',
    fromCustomer: 'vom Kunden',
    noneSent: 'noch keine',
    workspace: 'Arbeitsbereich',
    workspaces: 'Arbeitsbereiche',
    noted: 'Nachrichten mit dieser Referenz',
    byId: 'Nachrichten mit dieser ID',
    allNoted: 'Alle Nachrichten mit dieser Referenz',
    notedLook: (count: string) => `Diese Referenz wurde in den neuesten ${count} Nachrichten gesucht.`,
    firstOf: (shown: string, count: string) => `Die ersten ${shown} von ${count} Kunden mit diesem Namen. Mehr vom Namen eingeben, um einen der anderen zu finden.`,
    namedLook: (count: string) => `Dieser Name wurde unter den ${count} Kunden gesucht, die zuletzt geschrieben haben.`,
    openOne: 'Referenzen und Namen von Kunden werden in einem Arbeitsbereich gesucht. Einen Arbeitsbereich öffnen und dort suchen.',
    placesLeft: (count: number) => `${counted(count, { one: '# weiterer Arbeitsbereich wurde', other: '# weitere Arbeitsbereiche wurden' })} nicht durchsucht. Einen Arbeitsbereich öffnen und dort suchen.`,
    nothingKnown: 'keine Daten außer Nachrichten an diesen Kunden',
  },
  palette: {
    title: 'Suche und Aktionen', label: 'Kunden, Nachrichten, Seiten und Aktionen suchen',
    placeholder: 'Suchen oder Aktion eingeben', results: 'Treffer',
    customers: 'Kunden', messages: 'Nachrichten', pages: 'Seiten', acts: 'Aktionen',
    messageTo: (what: string, name: string) => `${what} an ${name}`,
    windowFor: (left: string) => `Fenster noch ${left} offen`,
    hours: (count: number) => `${count} Std.`,
    lastMessage: 'letzte Nachricht',
    all: (sought: string) => `Alle Treffer für „${sought}“`,
    control: 'Strg', escape: 'Esc', byKeys: 'Strg K',
    resolve: 'Unbekannte Ergebnisse klären',
    choose: 'auswählen', open: 'öffnen', newTab: 'in neuem Tab öffnen', allKeys: 'alle Tastenkürzel',
  },
}
