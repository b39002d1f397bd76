import type { searchTexts as english } from '../en/search.js'
import { countingIn, type Translated } from '../translating.js'

const counted = countingIn('es')

/** Texts of the search. */
export const searchTexts: Translated<typeof english> = {
  search: {
    title: 'Búsqueda',
    label: 'Buscar mensajes, clientes y espacios de trabajo',
    labelOfAll: 'Buscar espacios de trabajo, clientes y mensajes',
    placeholder: 'Nombre, número, ID',
    placeholderOfAll: 'Espacio, número, ID',
    found: (count: string, sought: string) => `${count} resultados para «${sought}»`,
    none: (sought: string) => `No hay resultados para «${sought}».`,
    what: 'Puede buscar:',
    kinds: [
      'un número de teléfono con prefijo de país, como +49 151 23456789, o el ID de usuario de un cliente en la plataforma',
      'el ID de un mensaje: msg_… o el de la plataforma, como wamid.…',
      'su propia referencia: un valor que su aplicación anotó en un mensaje, como el número de un pedido',
      'el ID de una solicitud: el X-Request-Id de su respuesta',
      'el nombre de un cliente que haya escrito, o el comienzo de una palabra de él',
      'el nombre de un espacio de trabajo',
    ],
    customers: 'Clientes',
    customer: 'Cliente',
    number: 'Número de teléfono',
    window: 'Ventana',
    open: 'abierta',
    lastMessage: 'Último mensaje',
    fromCustomer: 'del cliente',
    noneSent: 'ninguno aún',
    workspace: 'Espacio de trabajo',
    workspaces: 'Espacios de trabajo',
    noted: 'Mensajes con esta referencia',
    byId: 'Mensajes con este ID',
    allNoted: 'Todos los mensajes con esta referencia',
    notedLook: (count: string) => `Se buscó esta referencia en los ${count} mensajes más recientes.`,
    firstOf: (shown: string, count: string) => `Los primeros ${shown} de ${count} clientes con este nombre. Escriba más del nombre para encontrar a otro.`,
    namedLook: (count: string) => `Este nombre se buscó entre los ${count} clientes que escribieron más recientemente.`,
    openOne: 'Las referencias y los nombres de clientes se buscan en un espacio de trabajo a la vez. Abra uno y busque allí.',
    placesLeft: (count: number) => `No se buscó en ${counted(count, { one: '# espacio de trabajo más', other: '# espacios de trabajo más' })}. Abra uno y busque allí.`,
    nothingKnown: 'sin datos, salvo mensajes a este cliente',
  },
  palette: {
    title: 'Búsqueda y acciones', label: 'Buscar clientes, mensajes, páginas y acciones',
    placeholder: 'Busque, o escriba qué hacer', results: 'Resultados',
    customers: 'Clientes', messages: 'Mensajes', pages: 'Páginas', acts: 'Acciones',
    messageTo: (what: string, name: string) => `${what} a ${name}`,
    windowFor: (left: string) => `ventana abierta durante ${left}`,
    hours: (count: number) => `${count} h`,
    lastMessage: 'último mensaje',
    all: (sought: string) => `Todos los resultados de «${sought}»`,
    control: 'Ctrl', escape: 'Esc', byKeys: 'Ctrl K',
    resolve: 'Resolver resultados desconocidos',
    choose: 'elegir', open: 'abrir', newTab: 'abrir en otra pestaña', allKeys: 'todos los atajos',
  },
}
