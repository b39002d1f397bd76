import type { statementTexts as english } from '../en/statement.js'
import { countingIn, type Translated } from '../translating.js'

const counted = countingIn('es')

/** Texts of the statement of a wallet. */
export const statementTexts: Translated<typeof english> = {
  statement: {
    when: 'Cuándo (UTC)',
    what: 'Qué',
    balance: 'Saldo',
    opening: 'Saldo inicial',
    closing: 'Saldo final',
    now: 'Saldo actual',
    openingOn: (day: string) => `Saldo inicial, ${day}`,
    closingOn: (day: string) => `Saldo final, ${day}`,
    added: 'Recargado',
    adjusted: 'Corregido',
    spent: 'Gastado, menos reembolsos',
    topUp: (reference: string) => `Recarga, ${reference}`,
    adjustment: (note: string) => `Corrección: ${note}`,
    sent: (what: string, to: string) => `${what} a ${to}`,
    someone: 'un cliente que ya no se conoce',
    message: 'Mensaje',
    refund: (to: string, why: string | undefined) => (why === undefined ? `Reembolso: ${to}` : `Reembolso: ${to}, ${why}`),
    notOnWhatsApp: (to: string) => `Reembolso: ${to} no está en WhatsApp`,
    messages: (count: number) => counted(count, { one: '# mensaje', other: '# mensajes' }),
    topUps: (count: number) => counted(count, { one: '# recarga', other: '# recargas' }),
    adjustments: (count: number) => counted(count, { one: '# corrección', other: '# correcciones' }),
    refunds: (count: number) => counted(count, { one: '# reembolso', other: '# reembolsos' }),
    all: (count: number) => counted(count, { one: 'Mostrarlo aparte', other: 'Los # movimientos' }),
    issued: (name: string, issuer: string) => `${name} · emitido por ${issuer}`,
    onHold: (amount: string) => `${amount} del saldo está reservado`,
    hidden: (count: number, zero: string) =>
      counted(count, { one: `# fila de ${zero} está oculta.`, other: `# filas de ${zero} están ocultas.` }),
    shown: (count: number, zero: string) =>
      counted(count, { one: `Se muestra # fila de ${zero}.`, other: `Se muestran # filas de ${zero}.` }),
    showFree: 'Mostrarlas',
    hideFree: 'Ocultarlas',
    print: 'Imprimir extracto',
    earlier: 'Mes anterior',
    later: 'Mes siguiente',
    none: 'El saldo no cambió.',
    more: 'Movimientos posteriores',
    ofDay: (day: string) => `Extracto, ${day}`,
  },
}
