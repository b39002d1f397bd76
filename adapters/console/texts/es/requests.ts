import type { requestsTexts as english } from '../en/requests.js'
import { countingIn, type Translated } from '../translating.js'

const counted = countingIn('es')

/** Texts of the API requests. */
export const requestsTexts: Translated<typeof english> = {
  requests: {
    about: (days: number, answered: number, refused: number) => `Solicitudes de los últimos ${days} días con una clave de este espacio de trabajo, sin su contenido. Cada proceso del gateway guarda las primeras ${answered} correctas y las primeras ${refused} rechazadas de cada minuto.`,
    notHere: 'Las solicitudes sin una clave válida no pertenecen a ningún espacio de trabajo y no aparecen aquí. Recibieron 401.',
    none: 'Aún no hay solicitudes.',
    noneYet: 'Cree una clave y llame con ella a la API. Una solicitud aparece aquí al cabo de un segundo.',
    noneMatch: 'Ninguna solicitud coincide.',
    looked: (count: string) => `Se buscó en las ${count} solicitudes más recientes.`,
    leftOut: (count: number) => counted(count, { one: 'No se guardó # solicitud anterior.', other: 'No se guardaron # solicitudes anteriores.' }),
    at: 'Fecha y hora',
    call: 'Solicitud',
    status: 'Estado',
    key: 'Clave',
    duration: 'Duración',
    id: 'ID de solicitud',
    milliseconds: (count: string) => `${count} ms`,
    filter: 'Filtrar',
    show: 'Aplicar',
    all: 'Borrar filtro',
    older: 'Solicitudes anteriores',
    further: 'Buscar más atrás',
    refusedOnly: 'Solo solicitudes rechazadas',
    code: 'Código de error',
    anyCode: 'todos',
    anyKey: 'todas',
    requestId: 'ID de solicitud',
    requestIdHint: 'El X-Request-Id de la respuesta.',
    one: 'Solicitud',
    message: 'Mensaje',
    newKey: 'una clave inactiva',
    answered: 'La solicitud se completó correctamente.',

    whole: 'Acerca de este error',
    again: 'Repetir la solicitud',
    againHint: 'Con su clave en la variable POSTERN_KEY.',
    bodyHint: 'El cuerpo de la solicitud no se guarda: póngalo en body.json.',
    nameHint: 'Tampoco se guardan los valores de las variables de la dirección.',
    command: 'Comando para una consola',
    list: 'Todas las solicitudes',
  },
}
