import type { statementTexts as english } from '../en/statement.js'
import { countingIn, type Translated } from '../translating.js'

const counted = countingIn('pt-BR')

/** Texts of the statement of a wallet. */
export const statementTexts: Translated<typeof english> = {
  statement: {
    when: 'Quando (UTC)',
    what: 'O quê',
    balance: 'Saldo',
    opening: 'Saldo inicial',
    closing: 'Saldo final',
    now: 'Saldo atual',
    openingOn: (day: string) => `Saldo inicial, ${day}`,
    closingOn: (day: string) => `Saldo final, ${day}`,
    added: 'Recarregado',
    adjusted: 'Corrigido',
    spent: 'Gasto, menos reembolsos',
    topUp: (reference: string) => `Recarga, ${reference}`,
    adjustment: (note: string) => `Correção: ${note}`,
    sent: (what: string, to: string) => `${what} para ${to}`,
    someone: 'um cliente que não se conhece mais',
    message: 'Mensagem',
    refund: (to: string, why: string | undefined) => (why === undefined ? `Reembolso: ${to}` : `Reembolso: ${to}, ${why}`),
    notOnWhatsApp: (to: string) => `Reembolso: ${to} não está no WhatsApp`,
    messages: (count: number) => counted(count, { one: '# mensagem', other: '# mensagens' }),
    topUps: (count: number) => counted(count, { one: '# recarga', other: '# recargas' }),
    adjustments: (count: number) => counted(count, { one: '# correção', other: '# correções' }),
    refunds: (count: number) => counted(count, { one: '# reembolso', other: '# reembolsos' }),
    all: (count: number) => counted(count, { one: 'Mostrar à parte', other: 'Todos os # lançamentos' }),
    issued: (name: string, issuer: string) => `${name} · emitido por ${issuer}`,
    onHold: (amount: string) => `${amount} do saldo está reservado`,
    hidden: (count: number, zero: string) =>
      counted(count, { one: `# linha de ${zero} está oculta.`, other: `# linhas de ${zero} estão ocultas.` }),
    shown: (count: number, zero: string) =>
      counted(count, { one: `# linha de ${zero} é mostrada.`, other: `# linhas de ${zero} são mostradas.` }),
    showFree: 'Mostrar',
    hideFree: 'Ocultar',
    print: 'Imprimir extrato',
    earlier: 'Mês anterior',
    later: 'Próximo mês',
    none: 'O saldo não mudou.',
    more: 'Lançamentos posteriores',
    ofDay: (day: string) => `Extrato, ${day}`,
  },
}
