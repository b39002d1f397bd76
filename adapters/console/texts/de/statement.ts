import type { statementTexts as english } from '../en/statement.js'
import { countingIn, type Translated } from '../translating.js'

const counted = countingIn('de')

/** Texts of the statement of a wallet. */
export const statementTexts: Translated<typeof english> = {
  statement: {
    when: 'Wann (UTC)',
    what: 'Was',
    balance: 'Saldo',
    opening: 'Anfangssaldo',
    closing: 'Endsaldo',
    now: 'Saldo jetzt',
    openingOn: (day: string) => `Anfangssaldo, ${day}`,
    closingOn: (day: string) => `Endsaldo, ${day}`,
    added: 'Aufgeladen',
    adjusted: 'Korrigiert',
    spent: 'Ausgegeben abzüglich Erstattungen',
    topUp: (reference: string) => `Aufladung, ${reference}`,
    adjustment: (note: string) => `Korrektur: ${note}`,
    sent: (what: string, to: string) => `${what} an ${to}`,
    someone: 'einen nicht mehr bekannten Kunden',
    message: 'Nachricht',
    refund: (to: string, why: string | undefined) => (why === undefined ? `Erstattung: ${to}` : `Erstattung: ${to}, ${why}`),
    notOnWhatsApp: (to: string) => `Erstattung: ${to} ist nicht bei WhatsApp`,
    messages: (count: number) => counted(count, { one: '# Nachricht', other: '# Nachrichten' }),
    topUps: (count: number) => counted(count, { one: '# Aufladung', other: '# Aufladungen' }),
    adjustments: (count: number) => counted(count, { one: '# Korrektur', other: '# Korrekturen' }),
    refunds: (count: number) => counted(count, { one: '# Erstattung', other: '# Erstattungen' }),
    all: (count: number) => counted(count, { one: 'Einzeln zeigen', other: 'Alle # Buchungen' }),
    issued: (name: string, issuer: string) => `${name} · ausgestellt von ${issuer}`,
    onHold: (amount: string) => `${amount} des Saldos sind reserviert`,
    hidden: (count: number, zero: string) =>
      counted(count, { one: `# Zeile mit ${zero} ist ausgeblendet.`, other: `# Zeilen mit ${zero} sind ausgeblendet.` }),
    shown: (count: number, zero: string) =>
      counted(count, { one: `# Zeile mit ${zero} wird gezeigt.`, other: `# Zeilen mit ${zero} werden gezeigt.` }),
    showFree: 'Zeigen',
    hideFree: 'Ausblenden',
    print: 'Abrechnung drucken',
    earlier: 'Voriger Monat',
    later: 'Nächster Monat',
    none: 'Der Saldo hat sich nicht geändert.',
    more: 'Spätere Buchungen',
    ofDay: (day: string) => `Abrechnung ${day}`,
  },
}
