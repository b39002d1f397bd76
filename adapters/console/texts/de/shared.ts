import type { sharedTexts as english } from '../en/shared.js'
import type { Translated } from '../translating.js'
import { reason } from './reasons.js'

export const ACCOUNT_REFUSED = 'Das Zugriffstoken darf das Unternehmenskonto nicht lesen, das andere lesen dürfen, seit'
export const NOT_SHARED = 'Bis es das wieder darf oder ein anderes Token hinterlegt ist, werden Vorlagen weder angezeigt noch geprüft und kosten den Satz ihrer allgemeinen Kategorie.'

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
    groups: { activity: 'Aktivität', send: 'Senden', money: 'Geld', developers: 'Entwicklung', workspace: 'Arbeitsbereich', all: 'Alle Arbeitsbereiche' },
    ofWorkspace: (name: string) => `Arbeitsbereich ${name}`,
  },

  parts: {
    notLive: 'Diese Seite wird nicht mehr aktualisiert: Ihr Inhalt ist vielleicht veraltet.',
    reload: 'Seite neu laden',
    whichAmount: (typed: string) => `„${typed}“ lässt sich als zwei Beträge lesen. Welcher ist gemeint?`,
    changeAmount: 'Ändern',
    zone: (zone: string) => `Zeiten: ${zone}`,
    copy: (id: string) => `${id} kopieren`,
    ofMost: '# von ## Zeichen',
    copied: 'Kopiert',
    now: 'gerade eben',
    minutes: 'vor # Min.',
    hours: 'vor # Std.',
    // A noun keeps its capital letter.
    amid: (name: string) => name,
    reason,
  },

  words: {
    states: {
      pending: 'wartend', unconfirmed: 'unbestätigt', refused: 'abgelehnt', released: 'verworfen', accepted: 'angenommen', sent: 'gesendet', failed: 'fehlgeschlagen', delivered: 'zugestellt',
      read: 'gelesen', played: 'abgespielt',
    },
    roles: { owner: 'Inhaber', developer: 'Entwickler', viewer: 'Betrachter' },
    statuses: {
      approved: 'genehmigt', pending: 'in Prüfung', rejected: 'abgelehnt', paused: 'pausiert', disabled: 'deaktiviert', in_appeal: 'im Einspruch', limit_exceeded: 'Limit überschritten',
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
    sender: 'Absender',
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
    signedOutText: 'Ihre Sitzung ist beendet, deshalb ist nichts geschehen. Melden Sie sich an, und wiederholen Sie es.',
    written: 'Was Sie geschrieben haben:',
    linkUnusable: 'Dieser Link funktioniert nicht',
    linkUnusableText: 'Er wurde schon verwendet, ist abgelaufen oder unvollständig. Bitte einen neuen anfordern.',
    goToSignIn: 'Zur Anmeldung.',
    unknownAddress: 'Die Adresse ist nicht bekannt',
    unknownAddressText: 'Das Gateway kennt die Adresse nicht, unter der Browser es erreichen, und glaubt sie keinem Fremden. PUBLIC_URL auf diese Adresse setzen und das Gateway neu starten.',
    foreignForm: 'Nicht von hier gesendet',
    foreignFormText: 'Das Formular kam nicht von einer Seite dieser Konsole, deshalb ist nichts geschehen. Bitte die Konsole öffnen und erneut versuchen.',
    tooLarge: 'Zu groß',
    tooLargeText: 'Das Formular ist zu groß.',
    tooSlow: 'Zu langsam',
    tooSlowText: 'Das Formular kam nicht rechtzeitig an, deshalb ist nichts geschehen. Bitte erneut versuchen.',
    tooManyRequests: 'Zu viele Anfragen',
    tooManyRequestsText: 'Sie oder andere in Ihrem Netz haben zu viel auf einmal geöffnet. Bitte warten, bis einiges davon beendet ist, und erneut versuchen.',
    overloaded: 'Überlastet',
    crowdedText: 'Zurzeit wird zu viel geöffnet. Bitte in einigen Sekunden erneut versuchen.',
    overloadedText: 'Zurzeit werden zu viele Formulare gesendet, deshalb ist nichts geschehen. Bitte in einigen Sekunden erneut versuchen.',
    malformed: 'Nicht verstanden',
    malformedText: 'Das Formular ist unvollständig.',
    unknownCursorText: (parameter: string) => `Diese Adresse hat ein ${parameter}, das keine Stelle dieser Liste ist. Sie lässt sich von ihrem Anfang an öffnen.`,
    unknownChoiceText: (parameter: string, given: string, known: string) => `Der Filter ${parameter} hat den Wert „${given}“, den es nicht gibt. Möglich sind: ${known}.`,
    methodNotAllowed: 'Hier nicht möglich',
    methodNotAllowedText: 'Diese Seite nimmt eine solche Anfrage nicht an.',
    tooMany: 'Zu viele Versuche',
    tooManyText: 'Es gab zu viele Anmeldeversuche. Erneut versuchen nach',
    unavailable: 'Nicht verfügbar',
    unavailableText: 'Postern kann das gerade nicht ausführen. Bitte in einer Minute erneut versuchen.',
    defect: 'Etwas ist schiefgelaufen',
    defectText: 'Der Betreiber kann im Protokoll sehen, was geschehen ist.',
  },
}
