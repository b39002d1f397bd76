import type { sharedTexts as english } from '../en/shared.js'
import type { Translated } from '../translating.js'
import { reason } from './reasons.js'

export const ACCOUNT_REFUSED = 'Das Zugriffstoken hat keinen Zugriff auf das Unternehmenskonto, andere Token dagegen schon, seit'
export const NOT_SHARED = 'Bis es wieder Zugriff hat oder ein anderes Token hinterlegt ist, werden Vorlagen weder angezeigt noch geprüft, und Nachrichten kosten den Satz ihrer allgemeinen Kategorie.'

/** Texts of every page: the frame, the names of the sections, and the texts of failures. */
export const sharedTexts: Translated<typeof english> = {
  layout: {
    product: 'Postern',
    skip: 'Zum Inhalt springen',
    console: 'Konsole',
    workspaces: 'Arbeitsbereiche',
    health: 'Systemzustand',
    members: 'Mitglieder',
    audit: 'Audit-Protokoll',
    menu: 'Menü',
    switch: 'Arbeitsbereich wechseln',
    signOut: 'Abmelden',
    operator: 'Betreiber',
    groups: {
      activity: 'Aktivität', send: 'Senden', money: 'Geld', developers: 'Entwicklung', workspace: 'Arbeitsbereich',
      all: 'Alle Arbeitsbereiche',
    },
    ofWorkspace: (name: string) => `Arbeitsbereich ${name}`,
  },

  parts: {
    notLive: 'Diese Seite wird nicht mehr aktualisiert: Ihr Inhalt ist vielleicht veraltet.',
    reload: 'Seite neu laden',
    whichAmount: (typed: string) => `„${typed}“ lässt sich als zwei Beträge lesen. Welcher ist gemeint?`,
    changeAmount: 'Ändern',
    zone: (zone: string) => `Zeiten: ${zone}`,
    moreActs: 'Weitere Aktionen',
    secret: 'das Geheimnis',
    close: 'Schließen',
    copy: (id: string) => `${id} kopieren`,
    ofMost: '# von ## Zeichen',
    copied: 'Kopiert',
    now: 'gerade eben',
    minutes: 'vor # Min.',
    hours: 'vor # Std.',
    // A noun keeps its capital letter.
    insideSentence: (name: string) => name,
    reason,
  },

  words: {
    states: {
      pending: 'wartend', unconfirmed: 'unbestätigt', refused: 'abgelehnt', released: 'verworfen', accepted: 'angenommen', sent: 'gesendet',
      failed: 'fehlgeschlagen', delivered: 'zugestellt', read: 'gelesen', played: 'abgespielt',
    },
    roles: { owner: 'Inhaber', developer: 'Entwickler', viewer: 'Betrachter' },
    statuses: {
      approved: 'genehmigt', pending: 'in Prüfung', rejected: 'abgelehnt', paused: 'pausiert', disabled: 'deaktiviert',
      in_appeal: 'im Einspruch', limit_exceeded: 'Limit überschritten',
    },
    categories: {
      service: 'Service', marketing: 'Marketing', marketing_lite: 'Marketing Lite', utility: 'Utility', authentication: 'Authentifizierung',
      authentication_international: 'Authentifizierung international',
    },
    qualities: { green: 'grün', yellow: 'gelb', red: 'rot', unknown: 'unbekannt' },
    actors: { key: 'Schlüssel', command_line: 'Kommandozeile', system: 'System', unknown: 'unbekannt' },
  },

  sections: {
    overview: 'Übersicht',
    messages: 'Nachrichten',
    customers: 'Kunden',
    send: 'Neue Nachricht',
    templates: 'Vorlagen',
    wallet: 'Guthaben',
    spend: 'Ausgaben',
    keys: 'Schlüssel',
    endpoints: 'Endpunkte',
    requests: 'Anfragen',
    reference: 'API-Referenz',
    sender: 'Nummern',
    settings: 'Einstellungen',
    members: 'Mitglieder',
    audit: 'Audit-Protokoll',
  },

  failure: {
    back: 'Zur Konsole.',
    notFound: 'Nicht gefunden',
    notFoundText: 'Diese Seite gibt es nicht.',
    forbidden: 'Nicht erlaubt',
    archivedText: 'Dieser Arbeitsbereich ist archiviert und kann nur noch gelesen werden.',
    forbiddenText: (act: string) => `Ihre Rolle erlaubt das nicht (${act}). Ein Inhaber des Arbeitsbereichs oder ein Betreiber kann Ihre Rolle ändern.`,
    signedOut: 'Sie sind abgemeldet',
    signedOutText: 'Ihre Sitzung ist abgelaufen, deshalb wurde nichts gespeichert. Bitte anmelden und erneut versuchen.',
    written: 'Ihre Eingabe:',
    linkUnusable: 'Dieser Link funktioniert nicht',
    linkUnusableText: 'Er wurde schon verwendet, ist abgelaufen oder unvollständig. Bitte einen neuen anfordern.',
    goToSignIn: 'Zur Anmeldung.',
    unknownAddress: 'Die Adresse der Konsole ist nicht gesetzt',
    unknownAddressText: 'PUBLIC_URL ist nicht gesetzt, deshalb kann das Gateway keine Links erstellen. PUBLIC_URL auf die Adresse dieser Konsole setzen und das Gateway neu starten.',
    foreignForm: 'Nicht von dieser Konsole gesendet',
    foreignFormText: 'Das Formular kam nicht von einer Seite dieser Konsole, deshalb wurde nichts gespeichert. Bitte die Konsole öffnen und erneut versuchen.',
    tooLarge: 'Zu groß',
    tooLargeText: 'Das Formular ist zu groß.',
    tooSlow: 'Zu langsam',
    tooSlowText: 'Das Formular kam nicht rechtzeitig an, deshalb wurde nichts gespeichert. Bitte erneut versuchen.',
    tooManyRequests: 'Zu viele Anfragen',
    tooManyRequestsText: 'Sie oder andere in Ihrem Netz haben zu viele Anfragen offen. Bitte warten, bis einige davon beendet sind, und dann erneut versuchen.',
    overloaded: 'Überlastet',
    crowdedText: 'Die Konsole hat zurzeit zu viele Anfragen. Bitte in einigen Sekunden erneut versuchen.',
    overloadedText: 'Die Konsole erhält zurzeit zu viele Formulare, deshalb wurde nichts gespeichert. Bitte in einigen Sekunden erneut versuchen.',
    malformed: 'Ungültiges Formular',
    malformedText: 'Das Formular ist unvollständig.',
    unknownCursorText: (parameter: string) => `Der Wert von ${parameter} in dieser Adresse gehört nicht zu dieser Liste. Bitte die Liste von Anfang an öffnen.`,
    unknownChoiceText: (parameter: string, given: string, known: string) => `Der Filter ${parameter} kennt den Wert „${given}“ nicht. Möglich sind: ${known}.`,
    methodNotAllowed: 'Nicht unterstützt',
    methodNotAllowedText: 'Diese Seite unterstützt diese Art von Anfrage nicht.',
    tooMany: 'Zu viele Versuche',
    tooManyText: 'Es gab zu viele Anmeldeversuche. Erneut versuchen nach',
    unavailable: 'Nicht verfügbar',
    unavailableText: 'Postern ist zurzeit nicht verfügbar. Bitte in einer Minute erneut versuchen.',
    defect: 'Etwas ist schiefgelaufen',
    defectText: 'Der Betreiber findet die Ursache im Protokoll.',
  },
}
