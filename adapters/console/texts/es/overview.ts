import type { overviewTexts as english } from '../en/overview.js'
import { countingIn, type Translated } from '../translating.js'
import { ACCOUNT_REFUSED, NOT_SHARED } from './shared.js'

const counted = countingIn('es')

/** Texts of the overview, and of the setup of a new workspace. */
export const overviewTexts: Translated<typeof english> = {
  setup: {
    title: 'Primeros pasos',
    done: (done: number, all: number) => `${done} de ${all} hechos`,
    isDone: 'hecho',
    isOpen: 'pendiente',
    askOperator: 'Pida a un operador que recargue el saldo.',
    steps: {
      sender: { title: 'Añadir número', todo: 'El número de teléfono que envía sus mensajes y su token de acceso.' },
      money: { title: 'Recargar saldo', todo: 'Los mensajes se pagan con el saldo.' },
      key: { title: 'Crear una clave', todo: 'Las aplicaciones la usan para enviar mensajes. La página muestra un comando para probarla.' },
      webhook: {
        title: 'Recibir los informes de la plataforma', todo: 'En la plataforma, configure como webhook de la aplicación la dirección de este gateway seguida de /webhooks/platform. Este espacio de trabajo aún no ha recibido ningún informe.',
      },
      message: { title: 'Enviar un mensaje', todo: 'Empiece con un número propio.' },
    },
  },

  overview: {
    range: 'Período',
    ranges: { '1h': '1 hora', '24h': '24 horas', '7d': '7 días', '30d': '30 días', '90d': '90 días' },
    messagesByState: 'Mensajes por estado',
    chart: (range: string) => `Mensajes por estado, ${range}, según cuándo se enviaron`,
    groups: { read: 'Leídos', delivered: 'Entregados', sent: 'En camino', open: 'Resultado desconocido', failed: 'No entregados' },
    earlier: 'Período anterior', charted: 'Qué muestra el gráfico',
    asTable: 'Las mismas cifras como tabla',
    beginning: 'Desde',
    all: 'Todos',
    none: 'En este período no se envió ningún mensaje.',
    messages: 'Mensajes',
    spend: 'Gasto',
    delivered: 'Entregados',
    alsoRead: (share: string) => `${share} leídos`,
    available: 'Disponible',
    held: (amount: string) => `${amount} reservados`,
    scheduled: (amount: string) => `${amount} programados`,
    lasts: (duration: string) => `alcanza para ${duration}`,
    lastsHint: (day: string, week: string) => `Al gasto de las últimas 24 horas: ${day}; de los últimos 7 días: ${week}`,
    openWindows: 'Ventanas abiertas',
    mayGetText: 'clientes a los que se puede escribir libremente ahora',
    moreThan: (count: string) => `Más de ${count}`,
    before: {
      '1h': 'respecto a la hora anterior', '24h': 'respecto al día anterior', '7d': 'respecto a la semana anterior',
      '30d': 'respecto a los 30 días anteriores', '90d': 'respecto a los 90 días anteriores',
    },
    points: (points: string) => `${points} puntos`,
    spendOverTime: 'Gasto a lo largo del tiempo',
    spendChart: (range: string) => `Gasto, ${range}, según cuándo se enviaron los mensajes`,
    why: 'Por qué fallan los mensajes',
    allFailed: 'Todos los mensajes fallidos',
    whyNone: 'En este período no falló ningún mensaje.',
    whyPart: 'Aquí solo se cuentan los más recientes.',
    noCode: 'Sin código de error',
    code: (code: number | string) => `Código ${code}`,
    codeTodo: 'Abra los mensajes para ver qué pasó.',
    latest: 'Últimos mensajes',
    allMessages: 'Todos los mensajes',
    nothing: '–',
    duration: (ms: number) => {
      const hours = ms / 3_600_000
      if (hours < 1) return ms === 0 ? 'nada más' : 'menos de una hora'
      if (hours < 48) return counted(Math.floor(hours), { one: '# hora', other: '# horas' })
      return hours < 24 * 730 ? counted(Math.floor(hours / 24), { one: '# día', other: '# días' }) : 'más de dos años'
    },
    howCounted: 'Un mensaje cuenta en el momento de su envío, con su estado actual. Los estados que se informan mucho después aparecen con retraso.',
    beingCounted: 'contando…',
    pastMissing: 'Los mensajes más antiguos aún se están contando.',
    attention: 'Requiere atención',
    nothingWrong: 'Nada requiere atención.',
    noSender: 'Este espacio de trabajo no tiene ningún número, así que no puede enviar mensajes.',
    setSender: 'Añadir número',
    senderFailing: 'La plataforma rechaza el token de acceso desde',
    senderUnreadable: 'El token de acceso guardado no se puede descifrar: hay que guardarlo de nuevo.',
    openSender: 'Abrir el número',
    accountRefused: ACCOUNT_REFUSED,
    notShared: NOT_SHARED,
    endpointFailing: (url: string) => `${url} no acepta eventos desde`,
    endpointDisabled: (url: string) => `${url} está desactivado y no recibe eventos.`,
    openEndpoints: 'Mostrar las entregas',
    walletExhausted: 'El saldo no alcanzó para un mensaje:',
    walletLow: (threshold: string) => `El saldo es bajo: menos de ${threshold} desde`,
    openWallet: 'Abrir el saldo',
    templatesStopped: 'La plataforma ya no envía estas plantillas:',
    openTemplates: 'Abrir las plantillas',
    outcomeUnknown: (count: string, isMore: boolean) => `${count === '1' ? 'Un mensaje tiene' : `${isMore ? 'Más de ' : ''}${count} mensajes tienen`} un resultado desconocido, el más antiguo desde`,
    resolve: 'Resolver',
    andMore: (count: number) => ` y ${count} más`,
  },
}
