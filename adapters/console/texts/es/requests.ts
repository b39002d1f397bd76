import type { requestsTexts as english } from '../en/requests.js'
import { countingIn, type Translated } from '../translating.js'

const counted = countingIn('es')

/** Texts of the API requests. */
export const requestsTexts: Translated<typeof english> = {
  requests: {
    about: (days: number, answered: number, refused: number) => `Las llamadas de los últimos ${days} días con una clave de este espacio de trabajo, sin lo que decían. De cada minuto, cada proceso del gateway guarda las primeras ${answered} respondidas y las primeras ${refused} rechazadas.`,
    notHere: 'Una llamada sin una clave que funcione no pertenece a ningún espacio de trabajo, así que no está aquí. Se respondió con 401.',
    none: 'Aún no se hizo ninguna llamada.',
    noneYet: 'Cree una clave y llame con ella a la API. Una llamada aparece aquí un segundo después.',
    noneMatch: 'Ninguna llamada coincide.',
    looked: (count: string) => `Se revisaron las ${count} llamadas más recientes.`,
    leftOut: (count: number) => counted(count, { one: '# llamada más, anterior a esta, no se guardó.', other: '# llamadas más, anteriores a esta, no se guardaron.' }),
    at: 'Momento',
    call: 'Llamada',
    status: 'Respuesta',
    key: 'Clave',
    duration: 'Duración',
    id: 'Solicitud',
    milliseconds: (count: string) => `${count} ms`,
    filter: 'Filtrar',
    show: 'Mostrar',
    all: 'Mostrar todo',
    older: 'Llamadas anteriores',
    further: 'Seguir buscando',
    refusedOnly: 'Solo lo rechazado',
    code: 'Motivo',
    anyCode: 'todos',
    anyKey: 'todas',
    requestId: 'ID de la solicitud',
    requestIdHint: 'El X-Request-Id de la respuesta.',
    one: 'Solicitud',
    message: 'Mensaje',
    newKey: 'una clave terminada',
    answered: 'Se respondió, y no se rechazó nada.',

    whole: 'Todo sobre este error',
    again: 'La misma llamada',
    againHint: 'Con su clave en la variable POSTERN_KEY.',
    bodyHint: 'Lo que decía la llamada no se guarda: ponga su cuerpo en body.json.',
    nameHint: 'Tampoco se guarda lo que representa una variable de la dirección.',
    command: 'Comando para una consola',
    list: 'Todas las solicitudes',
  },
}
