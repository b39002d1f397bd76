import type { overviewTexts as english } from '../en/overview.js'
import { countingIn, type Translated } from '../translating.js'
import { ACCOUNT_REFUSED, NOT_SHARED } from './shared.js'

const counted = countingIn('pt-BR')

/** Texts of the overview, and of the setup of a new workspace. */
export const overviewTexts: Translated<typeof english> = {
  setup: {
    title: 'Primeiros passos',
    done: (done: number, all: number) => `${done} de ${all} feitos`,
    isDone: 'feito',
    isOpen: 'a fazer',
    askOperator: 'Peça a um operador que recarregue o saldo.',
    steps: {
      sender: { title: 'Adicionar número', todo: 'O número de telefone que envia suas mensagens e o token de acesso dele.' },
      money: { title: 'Recarregar saldo', todo: 'As mensagens são pagas com o saldo.' },
      key: { title: 'Criar uma chave', todo: 'Os aplicativos a usam para enviar mensagens. A página mostra um comando para testá-la.' },
      webhook: {
        title: 'Receber os relatos da plataforma', todo: 'Na plataforma, configure como webhook do aplicativo o endereço deste gateway seguido de /webhooks/platform. Este espaço de trabalho ainda não recebeu nenhum relato.',
      },
      message: { title: 'Enviar uma mensagem', todo: 'Comece com um número seu.' },
    },
  },

  overview: {
    range: 'Período',
    ranges: { '1h': '1 hora', '24h': '24 horas', '7d': '7 dias', '30d': '30 dias', '90d': '90 dias' },
    messagesByState: 'Mensagens por estado',
    chart: (range: string) => `Mensagens por estado, ${range}, por momento do envio`,
    groups: { read: 'Lidas', delivered: 'Entregues', sent: 'A caminho', open: 'Resultado desconhecido', failed: 'Não entregues' },
    earlier: 'Período anterior', charted: 'O que o gráfico mostra',
    asTable: 'Os mesmos números como tabela',
    beginning: 'Desde',
    all: 'Todas',
    none: 'Nenhuma mensagem foi enviada neste período.',
    messages: 'Mensagens',
    spend: 'Gastos',
    delivered: 'Entregues',
    alsoRead: (share: string) => `${share} lidas`,
    available: 'Disponível',
    held: (amount: string) => `${amount} reservados`,
    scheduled: (amount: string) => `${amount} agendados`,
    lasts: (duration: string) => `dura ${duration}`,
    lastsHint: (day: string, week: string) => `Com os gastos das últimas 24 horas: ${day}; dos últimos 7 dias: ${week}`,
    openWindows: 'Janelas abertas',
    mayGetText: 'clientes que podem receber um texto livre agora',
    moreThan: (count: string) => `Mais de ${count}`,
    before: {
      '1h': 'em relação à hora anterior', '24h': 'em relação ao dia anterior', '7d': 'em relação à semana anterior',
      '30d': 'em relação aos 30 dias anteriores', '90d': 'em relação aos 90 dias anteriores',
    },
    points: (points: string) => `${points} pontos`,
    spendOverTime: 'Gastos ao longo do tempo',
    spendChart: (range: string) => `Gastos, ${range}, por momento do envio das mensagens`,
    why: 'Por que mensagens falham',
    allFailed: 'Todas as mensagens com falha',
    whyNone: 'Nenhuma mensagem falhou neste período.',
    whyPart: 'Aqui só as mais recentes são contadas.',
    noCode: 'Sem código de erro',
    code: (code: number | string) => `Erro ${code}`,
    codeTodo: 'Abra as mensagens para ver o que aconteceu.',
    latest: 'Últimas mensagens',
    allMessages: 'Todas as mensagens',
    nothing: '–',
    duration: (ms: number) => {
      const hours = ms / 3_600_000
      if (hours < 1) return ms === 0 ? 'nada mais' : 'menos de uma hora'
      if (hours < 48) return counted(Math.floor(hours), { one: '# hora', other: '# horas' })
      return hours < 24 * 730 ? counted(Math.floor(hours / 24), { one: '# dia', other: '# dias' }) : 'mais de dois anos'
    },
    howCounted: 'Uma mensagem conta no momento do envio, com o estado atual. Estados relatados muito depois aparecem com atraso.',
    beingCounted: 'contando…',
    pastMissing: 'As mensagens mais antigas ainda estão sendo contadas.',
    attention: 'Requer atenção',
    nothingWrong: 'Nada requer atenção.',
    noSender: 'Este espaço de trabalho não tem nenhum número, por isso não pode enviar mensagens.',
    setSender: 'Adicionar número',
    senderFailing: 'A plataforma recusa o token de acesso desde',
    senderUnreadable: 'O token de acesso salvo não pode ser decifrado: salve-o de novo.',
    openSender: 'Abrir o número',
    accountRefused: ACCOUNT_REFUSED,
    notShared: NOT_SHARED,
    endpointFailing: (url: string) => `${url} não aceita eventos desde`,
    endpointDisabled: (url: string) => `${url} está desativado e não recebe eventos.`,
    openEndpoints: 'Mostrar as entregas',
    walletExhausted: 'O saldo não bastou para uma mensagem:',
    walletLow: (threshold: string) => `O saldo está baixo: menos de ${threshold} desde`,
    openWallet: 'Abrir o saldo',
    templatesStopped: 'A plataforma não envia mais estes modelos:',
    openTemplates: 'Abrir os modelos',
    outcomeUnknown: (count: string, isMore: boolean) => `${count === '1' ? 'Uma mensagem tem' : `${isMore ? 'Mais de ' : ''}${count} mensagens têm`} resultado desconhecido, a mais antiga desde`,
    resolve: 'Resolver',
    andMore: (count: number) => ` e mais ${count}`,
  },
}
