import type { sharedTexts as english } from '../en/shared.js'
import type { Translated } from '../translating.js'
import { reason } from './reasons.js'

export const ACCOUNT_REFUSED = 'O token de acesso não pode ler a conta comercial, que outros podem ler, desde'
export const NOT_SHARED = 'Até que possa de novo, ou outro token seja definido, os modelos não são mostrados nem verificados, e custam a tarifa da categoria geral deles.'

/** Texts of every page: the frame, the names of the sections, and what is said when something fails. */
export const sharedTexts: Translated<typeof english> = {
  layout: {
    product: 'Postern',
    skip: 'Ir para o conteúdo',
    console: 'Painel',
    workspaces: 'Espaços de trabalho',
    health: 'Saúde do sistema',
    members: 'Membros',
    audit: 'Auditoria',
    menu: 'Abrir o menu',
    switch: 'Trocar de espaço',
    signOut: 'Sair',
    operator: 'Operador',
    groups: { activity: 'Atividade', send: 'Enviar', money: 'Dinheiro', developers: 'Desenvolvimento', workspace: 'Espaço de trabalho', all: 'Todos os espaços' },
    ofWorkspace: (name: string) => `Espaço de trabalho ${name}`,
  },

  parts: {
    whichAmount: (typed: string) => `“${typed}” pode ser lido como dois valores. Qual deles você quer dizer?`,
    changeAmount: 'Alterar',
    zone: (zone: string) => `Horários: ${zone}`,
    copy: (id: string) => `Copiar ${id}`,
    ofMost: '# de ## caracteres',
    copied: 'Copiado',
    now: 'agora mesmo',
    minutes: 'há # min',
    hours: 'há # h',
    amid: (name: string) => name.toLocaleLowerCase('pt-BR'),
    reason,
  },

  words: {
    states: {
      pending: 'em andamento', unconfirmed: 'sem confirmação', refused: 'recusada', released: 'descartada', accepted: 'aceita', sent: 'enviada', failed: 'falhou', delivered: 'entregue', read: 'lida',
      played: 'reproduzida',
    },
    roles: { owner: 'proprietário', developer: 'desenvolvedor', viewer: 'leitor' },
    statuses: {
      approved: 'aprovado', pending: 'em análise', rejected: 'rejeitado', paused: 'pausado', disabled: 'desativado', in_appeal: 'em recurso', limit_exceeded: 'limite excedido',
    },
    categories: {
      service: 'serviço', marketing: 'marketing', marketing_lite: 'marketing lite', utility: 'utilidade', authentication: 'autenticação',
      authentication_international: 'autenticação internacional',
    },
    qualities: { green: 'verde', yellow: 'amarela', red: 'vermelha', unknown: 'desconhecida' },
    actors: { key: 'chave', command_line: 'linha de comando', system: 'sistema', unknown: 'desconhecido' },
  },

  sections: {
    overview: 'Visão geral',
    messages: 'Mensagens',
    customers: 'Clientes',
    send: 'Nova mensagem',
    templates: 'Modelos',
    wallet: 'Saldo',
    spend: 'Gastos',
    keys: 'Chaves',
    endpoints: 'Endpoints',
    requests: 'Solicitações',
    reference: 'Referência da API',
    sender: 'Remetente',
    settings: 'Configurações',
    members: 'Membros',
    audit: 'Auditoria',
  },

  failure: {
    back: 'Ir para o painel.',
    notFound: 'Não encontrado',
    notFoundText: 'Esta página não existe.',
    forbidden: 'Não permitido',
    archivedText: 'Este espaço de trabalho está arquivado, por isso só pode ser lido.',
    forbiddenText: (act: string) => `O seu papel não permite isto (${act}). Um proprietário do espaço de trabalho ou um operador pode alterar o seu papel.`,
    signedOut: 'Você saiu',
    signedOutText: 'Sua sessão terminou, então nada foi feito. Entre e faça de novo.',
    written: 'O que você escreveu:',
    linkUnusable: 'Este link não funciona',
    linkUnusableText: 'Ele já foi usado, venceu ou não está completo. Peça outro.',
    goToSignIn: 'Ir para a entrada.',
    unknownAddress: 'O endereço não é conhecido',
    unknownAddressText: 'O gateway não conhece o endereço em que os navegadores o encontram, e não aceita a palavra de um estranho. Configure PUBLIC_URL com esse endereço e reinicie o gateway.',
    foreignForm: 'Não enviado daqui',
    foreignFormText: 'O formulário não foi enviado por uma página deste painel, por isso nada foi feito. Abra o painel e tente de novo.',
    tooLarge: 'Grande demais',
    tooLargeText: 'O formulário é grande demais.',
    tooSlow: 'Lento demais',
    tooSlowText: 'O formulário não chegou a tempo, por isso nada foi feito. Tente de novo.',
    tooManyRequests: 'Pedidos demais',
    tooManyRequestsText: 'Você, ou outros na sua rede, abriram coisas demais ao mesmo tempo. Espere até que algo termine e tente de novo.',
    overloaded: 'Sobrecarregado',
    crowdedText: 'Coisas demais estão sendo abertas no momento. Tente de novo em alguns segundos.',
    overloadedText: 'Formulários demais estão sendo enviados no momento, por isso nada foi feito. Tente de novo em alguns segundos.',
    malformed: 'Não compreendido',
    malformedText: 'O formulário não está completo.',
    unknownCursorText: (parameter: string) => `Este endereço tem um ${parameter} que não é um lugar desta lista. Abra a lista desde o início.`,
    methodNotAllowed: 'Não é possível aqui',
    methodNotAllowedText: 'Esta página não aceita um pedido assim.',
    tooMany: 'Tentativas demais',
    tooManyText: 'Houve tentativas de entrada demais. Tente de novo depois de',
    unavailable: 'Não disponível',
    unavailableText: 'O Postern não pode fazer isto no momento. Tente de novo em um minuto.',
    defect: 'Algo deu errado',
    defectText: 'O operador pode ver no log o que aconteceu.',
  },
}
