import type { requestsTexts as english } from '../en/requests.js'
import { countingIn, type Translated } from '../translating.js'

const counted = countingIn('pt-BR')

/** Texts of the API requests. */
export const requestsTexts: Translated<typeof english> = {
  requests: {
    about: (days: number, answered: number, refused: number) => `Requisições dos últimos ${days} dias com uma chave deste espaço de trabalho, sem o conteúdo. Cada processo do gateway guarda as primeiras ${answered} bem-sucedidas e as primeiras ${refused} recusadas de cada minuto.`,
    notHere: 'Requisições sem uma chave válida não pertencem a nenhum espaço de trabalho e não aparecem aqui. Elas receberam 401.',
    none: 'Ainda não há requisições.',
    noneYet: 'Crie uma chave e chame a API com ela. Uma requisição aparece aqui depois de um segundo.',
    noneMatch: 'Nenhuma requisição corresponde.',
    looked: (count: string) => `As ${count} requisições mais recentes foram pesquisadas.`,
    leftOut: (count: number) => counted(count, { one: '# requisição anterior não foi guardada.', other: '# requisições anteriores não foram guardadas.' }),
    at: 'Data e hora',
    call: 'Requisição',
    status: 'Status HTTP',
    key: 'Chave',
    duration: 'Duração',
    id: 'ID da requisição',
    milliseconds: (count: string) => `${count} ms`,
    filter: 'Filtrar',
    show: 'Aplicar',
    all: 'Limpar filtro',
    older: 'Requisições anteriores',
    further: 'Buscar mais para trás',
    refusedOnly: 'Só requisições recusadas',
    code: 'Código de erro',
    anyCode: 'todos',
    anyKey: 'todas',
    requestId: 'ID da requisição',
    requestIdHint: 'O X-Request-Id da resposta.',
    one: 'Requisição',
    message: 'Mensagem',
    newKey: 'uma chave inativa',
    answered: 'A requisição foi bem-sucedida.',

    whole: 'Sobre este erro',
    again: 'Repetir a requisição',
    againHint: 'Com a sua chave na variável POSTERN_KEY.',
    bodyHint: 'O corpo da requisição não é guardado: ponha-o em body.json.',
    nameHint: 'Os valores das variáveis do endereço também não são guardados.',
    command: 'Comando para um terminal',
    list: 'Todas as requisições',
  },
}
