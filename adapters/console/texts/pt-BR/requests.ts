import type { requestsTexts as english } from '../en/requests.js'
import { countingIn, type Translated } from '../translating.js'

const counted = countingIn('pt-BR')

/** Texts of the API requests. */
export const requestsTexts: Translated<typeof english> = {
  requests: {
    about: (days: number, answered: number, refused: number) => `As chamadas dos últimos ${days} dias com uma chave deste espaço de trabalho, sem o que diziam. De cada minuto, cada processo do gateway guarda as primeiras ${answered} respondidas e as primeiras ${refused} recusadas.`,
    notHere: 'Uma chamada sem uma chave que funcione não pertence a nenhum espaço de trabalho, por isso não está aqui. Ela foi respondida com 401.',
    none: 'Nenhuma chamada foi feita ainda.',
    noneYet: 'Crie uma chave e chame a API com ela. Uma chamada aparece aqui um segundo depois.',
    noneMatch: 'Nenhuma chamada corresponde.',
    looked: (count: string) => `As ${count} chamadas mais novas foram examinadas.`,
    leftOut: (count: number) => counted(count, { one: 'Mais # chamada anterior não foi guardada.', other: 'Mais # chamadas anteriores não foram guardadas.' }),
    at: 'Momento',
    call: 'Chamada',
    status: 'Resposta',
    key: 'Chave',
    duration: 'Duração',
    id: 'Solicitação',
    milliseconds: (count: string) => `${count} ms`,
    filter: 'Filtrar',
    show: 'Mostrar',
    all: 'Mostrar tudo',
    older: 'Chamadas anteriores',
    further: 'Continuar procurando',
    refusedOnly: 'Só o que foi recusado',
    code: 'Motivo',
    anyCode: 'todos',
    anyKey: 'todas',
    requestId: 'ID da solicitação',
    requestIdHint: 'O X-Request-Id da resposta.',
    one: 'Solicitação',
    message: 'Mensagem',
    newKey: 'uma chave encerrada',
    answered: 'Foi respondida, e nada foi recusado.',

    whole: 'Tudo sobre este erro',
    again: 'A mesma chamada',
    againHint: 'Com a sua chave na variável POSTERN_KEY.',
    bodyHint: 'O que a chamada dizia não é guardado: ponha o corpo dela em body.json.',
    nameHint: 'O que uma variável do endereço representa também não é guardado.',
    command: 'Comando para um terminal',
    list: 'Todas as solicitações',
  },
}
