import type { requestsTexts as english } from '../en/requests.js'
import { countingIn, type Translated } from '../translating.js'

const counted = countingIn('de')

/** Texts of the API requests. */
export const requestsTexts: Translated<typeof english> = {
  requests: {
    about: (days: number, answered: number, refused: number) => `Anfragen der letzten ${days} Tage mit einem Schlüssel dieses Arbeitsbereichs, ohne ihren Inhalt. Jeder Prozess des Gateways behält von jeder Minute die ersten ${answered} erfolgreichen und die ersten ${refused} abgelehnten Anfragen.`,
    notHere: 'Anfragen ohne gültigen Schlüssel gehören zu keinem Arbeitsbereich und sind nicht aufgeführt. Sie erhielten 401.',
    none: 'Es gibt noch keine Anfragen.',
    noneYet: 'Einen Schlüssel anlegen und damit die API aufrufen. Eine Anfrage erscheint hier nach einer Sekunde.',
    noneMatch: 'Keine passenden Anfragen.',
    looked: (count: string) => `Die neuesten ${count} Anfragen wurden durchsucht.`,
    leftOut: (count: number) => counted(count, { one: '# frühere Anfrage wurde nicht aufbewahrt.', other: '# frühere Anfragen wurden nicht aufbewahrt.' }),
    at: 'Zeit',
    call: 'Anfrage',
    status: 'HTTP-Status',
    key: 'Schlüssel',
    duration: 'Dauer',
    id: 'Anfrage-ID',
    milliseconds: (count: string) => `${count} ms`,
    filter: 'Filtern',
    show: 'Anwenden',
    all: 'Filter zurücksetzen',
    older: 'Ältere Anfragen',
    further: 'Weiter zurück suchen',
    refusedOnly: 'Nur abgelehnte Anfragen',
    code: 'Fehlercode',
    anyCode: 'alle',
    anyKey: 'alle',
    requestId: 'Anfrage-ID',
    requestIdHint: 'Die X-Request-Id der Antwort.',
    one: 'Anfrage',
    message: 'Nachricht',
    newKey: 'ein inaktiver Schlüssel',
    answered: 'Die Anfrage war erfolgreich.',

    whole: 'Zu diesem Fehler',
    again: 'Anfrage wiederholen',
    againHint: 'Mit Ihrem Schlüssel in der Variablen POSTERN_KEY.',
    bodyHint: 'Der Inhalt der Anfrage wird nicht aufbewahrt: bitte in body.json schreiben.',
    nameHint: 'Die Werte von Variablen in der Adresse werden ebenfalls nicht aufbewahrt.',
    command: 'Befehl für eine Shell',
    list: 'Alle Anfragen',
  },
}
