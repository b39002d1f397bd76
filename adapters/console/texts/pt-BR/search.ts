import type { searchTexts as english } from '../en/search.js'
import { countingIn, type Translated } from '../translating.js'

const counted = countingIn('pt-BR')

/** Texts of the search. */
export const searchTexts: Translated<typeof english> = {
  search: {
    title: 'Busca',
    label: 'Buscar mensagens, clientes e espaços de trabalho',
    labelOfAll: 'Buscar espaços de trabalho, clientes e mensagens',
    placeholder: 'Nome, número, ID',
    placeholderOfAll: 'Espaço, número, ID',
    found: (count: string, sought: string) => `${count} resultados para “${sought}”`,
    none: (sought: string) => `Nenhum resultado para “${sought}”.`,
    what: 'Você pode buscar:',
    kinds: [
      'um número de telefone com código do país, como +49 151 23456789, ou o ID de usuário de um cliente na plataforma',
      'o ID de uma mensagem: msg_… ou o da plataforma, como wamid.…',
      'a sua própria referência: um valor que o seu aplicativo anotou em uma mensagem, como o número de um pedido',
      'o ID de uma requisição: o X-Request-Id da resposta dela',
      'o nome de um cliente que escreveu, ou o começo de uma palavra dele',
      'o nome de um espaço de trabalho',
    ],
    customers: 'Clientes',
    customer: 'Cliente',
    number: 'Número de telefone',
    window: 'Janela',
    open: 'aberta',
    lastMessage: 'Última mensagem',
    fromCustomer: 'do cliente',
    noneSent: 'nenhuma ainda',
    workspace: 'Espaço de trabalho',
    workspaces: 'Espaços de trabalho',
    noted: 'Mensagens com esta referência',
    byId: 'Mensagens com este ID',
    allNoted: 'Todas as mensagens com esta referência',
    notedLook: (count: string) => `Esta referência foi pesquisada nas ${count} mensagens mais recentes.`,
    firstOf: (shown: string, count: string) => `Os primeiros ${shown} de ${count} clientes com este nome. Digite mais do nome para encontrar outro.`,
    namedLook: (count: string) => `Este nome foi pesquisado entre os ${count} clientes que escreveram mais recentemente.`,
    openOne: 'Referências e nomes de clientes são procurados em um espaço de trabalho por vez. Abra um e busque lá.',
    placesLeft: (count: number) => `${counted(count, { one: 'Mais # espaço de trabalho não foi pesquisado', other: 'Mais # espaços de trabalho não foram pesquisados' })}. Abra um e busque lá.`,
    nothingKnown: 'sem dados, exceto mensagens a este cliente',
  },
  palette: {
    title: 'Busca e ações', label: 'Buscar clientes, mensagens, páginas e ações',
    placeholder: 'Busque ou digite o que fazer', results: 'Resultados',
    customers: 'Clientes', messages: 'Mensagens', pages: 'Páginas', acts: 'Ações',
    messageTo: (what: string, name: string) => `${what} para ${name}`,
    windowFor: (left: string) => `janela aberta por ${left}`,
    hours: (count: number) => `${count} h`,
    lastMessage: 'última mensagem',
    all: (sought: string) => `Todos os resultados de “${sought}”`,
    control: 'Ctrl', escape: 'Esc', byKeys: 'Ctrl K',
    resolve: 'Resolver resultados desconhecidos',
    choose: 'escolher', open: 'abrir', newTab: 'abrir em outra aba', allKeys: 'todos os atalhos',
  },
}
