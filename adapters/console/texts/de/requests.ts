import type { requestsTexts as english } from '../en/requests.js'
import { countingIn, type Translated } from '../translating.js'

const counted = countingIn('de')

/** Texts of the API requests. */
export const requestsTexts: Translated<typeof english> = {
  requests: {
    about: (days: number, answered: number, refused: number) => `Die Aufrufe der letzten ${days} Tage mit einem Schlüssel dieses Arbeitsbereichs, ohne ihren Inhalt. Von jeder Minute behält jeder Prozess des Gateways die ersten ${answered} beantworteten und die ersten ${refused} abgelehnten.`,
    notHere: 'Ein Aufruf ohne gültigen Schlüssel gehört zu keinem Arbeitsbereich und steht deshalb nicht hier. Er wurde mit 401 beantwortet.',
    none: 'Es gab noch keinen Aufruf.',
    noneYet: 'Einen Schlüssel anlegen und damit die API aufrufen. Ein Aufruf steht eine Sekunde später hier.',
    noneMatch: 'Kein Aufruf passt.',
    looked: (count: string) => `Die neuesten ${count} Aufrufe wurden durchgesehen.`,
    leftOut: (count: number) => counted(count, { one: '# weiterer Aufruf davor wurde nicht aufbewahrt.', other: '# weitere Aufrufe davor wurden nicht aufbewahrt.' }),
    at: 'Zeitpunkt',
    call: 'Aufruf',
    status: 'Antwort',
    key: 'Schlüssel',
    duration: 'Dauer',
    id: 'Anfrage',
    milliseconds: (count: string) => `${count} ms`,
    filter: 'Filtern',
    show: 'Anzeigen',
    all: 'Alle anzeigen',
    older: 'Ältere Aufrufe',
    further: 'Weitersuchen',
    refusedOnly: 'Nur Abgelehntes',
    code: 'Grund',
    anyCode: 'alle',
    anyKey: 'alle',
    requestId: 'ID der Anfrage',
    requestIdHint: 'Die X-Request-Id der Antwort.',
    one: 'Anfrage',
    message: 'Nachricht',
    newKey: 'ein beendeter Schlüssel',
    answered: 'Sie wurde beantwortet, und nichts wurde abgelehnt.',

    whole: 'Alles über diesen Fehler',
    again: 'Derselbe Aufruf',
    againHint: 'Mit Ihrem Schlüssel in der Variablen POSTERN_KEY.',
    bodyHint: 'Der Inhalt des Aufrufs wird nicht aufbewahrt: bitte in body.json schreiben.',
    nameHint: 'Wofür eine Variable in der Adresse steht, wird ebenfalls nicht aufbewahrt.',
    command: 'Befehl für eine Shell',
    list: 'Alle Anfragen',
  },
}
