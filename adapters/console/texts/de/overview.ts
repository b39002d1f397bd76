import type { overviewTexts as english } from '../en/overview.js'
import { countingIn, type Translated } from '../translating.js'
import { ACCOUNT_REFUSED, NOT_SHARED } from './shared.js'

const counted = countingIn('de')

/** Texts of the overview, and of the setup of a new workspace. */
export const overviewTexts: Translated<typeof english> = {
  setup: {
    title: 'Erste Schritte',
    done: (done: number, all: number) => `${done} von ${all} erledigt`,
    isDone: 'erledigt',
    isOpen: 'offen',
    askOperator: 'Einen Betreiber bitten, das Guthaben aufzuladen.',
    steps: {
      sender: { title: 'Nummer hinzufügen', todo: 'Die Telefonnummer, die Ihre Nachrichten sendet, und das Zugriffstoken dafür.' },
      money: { title: 'Guthaben aufladen', todo: 'Nachrichten werden aus dem Guthaben bezahlt.' },
      key: { title: 'Schlüssel anlegen', todo: 'Anwendungen senden damit Nachrichten. Die Seite zeigt einen Befehl zum Ausprobieren.' },
      webhook: {
        title: 'Meldungen der Plattform empfangen', todo: 'Bei der Plattform als Webhook der App die Adresse dieses Gateways mit /webhooks/platform eintragen. Dieser Arbeitsbereich hat noch keine Meldung erhalten.',
      },
      message: { title: 'Nachricht senden', todo: 'Am besten zuerst an eine eigene Nummer.' },
    },
  },

  overview: {
    range: 'Zeitraum',
    ranges: { '1h': '1 Stunde', '24h': '24 Stunden', '7d': '7 Tage', '30d': '30 Tage', '90d': '90 Tage' },
    messagesByState: 'Nachrichten nach Zustand',
    chart: (range: string) => `Nachrichten nach Zustand, ${range}, nach dem Zeitpunkt des Versands`,
    groups: { read: 'Gelesen', delivered: 'Zugestellt', sent: 'Unterwegs', open: 'Ergebnis unbekannt', failed: 'Nicht zugestellt' },
    earlier: 'Zeitraum davor', charted: 'Was das Diagramm zeigt',
    asTable: 'Dieselben Zahlen als Tabelle',
    beginning: 'Ab',
    all: 'Alle',
    none: 'In diesem Zeitraum wurde keine Nachricht gesendet.',
    messages: 'Nachrichten',
    spend: 'Ausgaben',
    delivered: 'Zugestellt',
    alsoRead: (share: string) => `${share} gelesen`,
    available: 'Verfügbar',
    held: (amount: string) => `${amount} reserviert`,
    scheduled: (amount: string) => `${amount} geplant`,
    lasts: (duration: string) => `reicht ${duration}`,
    lastsHint: (day: string, week: string) => `Bei den Ausgaben der letzten 24 Stunden: ${day}; der letzten 7 Tage: ${week}`,
    openWindows: 'Offene Fenster',
    mayGetText: 'Kunden, denen jetzt frei geschrieben werden kann',
    moreThan: (count: string) => `Mehr als ${count}`,
    before: {
      '1h': 'ggü. der Vorstunde', '24h': 'ggü. dem Vortag', '7d': 'ggü. der Vorwoche', '30d': 'ggü. den 30 Tagen davor',
      '90d': 'ggü. den 90 Tagen davor',
    },
    points: (points: string) => `${points} Punkte`,
    spendOverTime: 'Ausgaben im Verlauf',
    spendChart: (range: string) => `Ausgaben, ${range}, nach dem Zeitpunkt des Versands`,
    why: 'Warum Nachrichten scheitern',
    allFailed: 'Alle fehlgeschlagenen',
    whyNone: 'In diesem Zeitraum ist keine Nachricht fehlgeschlagen.',
    whyPart: 'Hier sind nur die neuesten gezählt.',
    noCode: 'Ohne Fehlercode',
    code: (code: number | string) => `Fehler ${code}`,
    codeTodo: 'Die Nachrichten öffnen, um zu sehen, was geschah.',
    latest: 'Neueste Nachrichten',
    allMessages: 'Alle Nachrichten',
    nothing: '–',
    duration: (ms: number) => {
      const hours = ms / 3_600_000
      if (hours < 1) return ms === 0 ? 'nicht mehr' : 'weniger als eine Stunde'
      if (hours < 48) return counted(Math.floor(hours), { one: '# Stunde', other: '# Stunden' })
      return hours < 24 * 730 ? counted(Math.floor(hours / 24), { one: '# Tag', other: '# Tage' }) : 'mehr als zwei Jahre'
    },
    howCounted: 'Eine Nachricht zählt zum Zeitpunkt ihres Versands, mit ihrem jetzigen Zustand. Zustände, die viel später gemeldet werden, erscheinen verzögert.',
    beingCounted: 'wird gezählt',
    pastMissing: 'Ältere Nachrichten werden noch gezählt.',
    attention: 'Braucht Aufmerksamkeit',
    nothingWrong: 'Nichts braucht Aufmerksamkeit.',
    noSender: 'Dieser Arbeitsbereich hat keine Nummer und kann keine Nachrichten senden.',
    setSender: 'Nummer hinzufügen',
    senderFailing: 'Die Plattform lehnt das Zugriffstoken ab, seit',
    senderUnreadable: 'Das gespeicherte Zugriffstoken lässt sich nicht entschlüsseln: Bitte neu speichern.',
    openSender: 'Nummer öffnen',
    accountRefused: ACCOUNT_REFUSED,
    notShared: NOT_SHARED,
    endpointFailing: (url: string) => `${url} nimmt keine Ereignisse an, seit`,
    endpointDisabled: (url: string) => `${url} ist abgeschaltet und bekommt keine Ereignisse.`,
    openEndpoints: 'Zustellungen anzeigen',
    walletExhausted: 'Das Guthaben reichte für eine Nachricht nicht aus:',
    walletLow: (threshold: string) => `Das Guthaben ist niedrig: weniger als ${threshold} seit`,
    openWallet: 'Guthaben öffnen',
    templatesStopped: 'Die Plattform sendet diese Vorlagen nicht mehr:',
    openTemplates: 'Vorlagen öffnen',
    outcomeUnknown: (count: string, isMore: boolean) => `${count === '1' ? 'Eine Nachricht hat' : `${isMore ? 'Mehr als ' : ''}${count} Nachrichten haben`} ein unbekanntes Ergebnis, die älteste seit`,
    resolve: 'Klären',
    andMore: (count: number) => ` und ${count} weitere`,
  },
}
