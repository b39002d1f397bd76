import type { sharedTexts as english } from '../en/shared.js'
import type { Translated } from '../translating.js'
import { reason } from './reasons.js'

export const ACCOUNT_REFUSED = 'El token de acceso no puede leer la cuenta de empresa, que otros sí pueden leer, desde'
export const NOT_SHARED = 'Hasta que pueda de nuevo, o se configure otro token, las plantillas no se muestran ni se comprueban, y cuestan la tarifa de su categoría general.'

/** Texts of every page: the frame, the names of the sections, and what is said when something fails. */
export const sharedTexts: Translated<typeof english> = {
  layout: {
    product: 'Postern',
    skip: 'Ir al contenido',
    console: 'Consola',
    workspaces: 'Espacios de trabajo',
    health: 'Estado del sistema',
    members: 'Miembros',
    audit: 'Auditoría',
    menu: 'Menú',
    switch: 'Cambiar de espacio',
    signOut: 'Salir',
    operator: 'Operador',
    groups: { activity: 'Actividad', send: 'Enviar', money: 'Dinero', developers: 'Desarrollo', workspace: 'Espacio de trabajo', all: 'Todos los espacios' },
    ofWorkspace: (name: string) => `Espacio de trabajo ${name}`,
  },

  parts: {
    whichAmount: (typed: string) => `“${typed}” puede leerse como dos importes. ¿Cuál quiere decir?`,
    changeAmount: 'Cambiar',
    zone: (zone: string) => `Horas: ${zone}`,
    copy: (id: string) => `Copiar ${id}`,
    ofMost: '# de ## caracteres',
    copied: 'Copiado',
    now: 'ahora mismo',
    minutes: 'hace # min',
    hours: 'hace # h',
    amid: (name: string) => name.toLocaleLowerCase('es'),
    reason,
  },

  words: {
    states: {
      pending: 'en curso', unconfirmed: 'sin confirmar', refused: 'rechazado', released: 'descartado', accepted: 'aceptado', sent: 'enviado', failed: 'fallido', delivered: 'entregado', read: 'leído',
      played: 'reproducido',
    },
    roles: { owner: 'propietario', developer: 'desarrollador', viewer: 'lector' },
    statuses: {
      approved: 'aprobada', pending: 'en revisión', rejected: 'rechazada', paused: 'en pausa', disabled: 'desactivada', in_appeal: 'en apelación', limit_exceeded: 'límite superado',
    },
    categories: {
      service: 'servicio', marketing: 'marketing', marketing_lite: 'marketing lite', utility: 'utilidad', authentication: 'autenticación',
      authentication_international: 'autenticación internacional',
    },
    qualities: { green: 'verde', yellow: 'amarilla', red: 'roja', unknown: 'desconocida' },
    actors: { key: 'clave', command_line: 'línea de comandos', system: 'sistema', unknown: 'desconocido' },
  },

  sections: {
    overview: 'Resumen',
    messages: 'Mensajes',
    customers: 'Clientes',
    send: 'Nuevo mensaje',
    templates: 'Plantillas',
    wallet: 'Saldo',
    spend: 'Gasto',
    keys: 'Claves',
    endpoints: 'Endpoints',
    requests: 'Solicitudes',
    reference: 'Referencia de la API',
    sender: 'Remitente',
    settings: 'Configuración',
    members: 'Miembros',
    audit: 'Auditoría',
  },

  failure: {
    back: 'Ir a la consola.',
    notFound: 'No encontrado',
    notFoundText: 'Esta página no existe.',
    forbidden: 'No permitido',
    archivedText: 'Este espacio de trabajo está archivado, así que solo se puede leer.',
    forbiddenText: (act: string) => `Su rol no permite esto (${act}). Un propietario del espacio de trabajo o un operador puede cambiar su rol.`,
    signedOut: 'La sesión está cerrada',
    signedOutText: 'Su sesión terminó, así que no se hizo nada. Inicie sesión y repítalo.',
    written: 'Lo que escribió:',
    linkUnusable: 'Este enlace no funciona',
    linkUnusableText: 'Ya se usó, ha caducado o no está completo. Pida otro.',
    goToSignIn: 'Ir al inicio de sesión.',
    unknownAddress: 'No se conoce la dirección',
    unknownAddressText: 'El gateway no conoce la dirección en la que lo encuentran los navegadores, y no acepta la palabra de un extraño. Configure PUBLIC_URL con esa dirección y reinicie el gateway.',
    foreignForm: 'No se envió desde aquí',
    foreignFormText: 'El formulario no lo envió una página de esta consola, así que no se hizo nada. Abra la consola y vuelva a intentarlo.',
    tooLarge: 'Demasiado grande',
    tooLargeText: 'El formulario es demasiado grande.',
    tooSlow: 'Demasiado lento',
    tooSlowText: 'El formulario no llegó a tiempo, así que no se hizo nada. Vuelva a intentarlo.',
    tooManyRequests: 'Demasiadas solicitudes',
    tooManyRequestsText: 'Usted, u otras personas en su red, han abierto demasiado a la vez. Espere a que algo termine y vuelva a intentarlo.',
    overloaded: 'Demasiada carga',
    crowdedText: 'En este momento se abre demasiado a la vez. Vuelva a intentarlo en unos segundos.',
    overloadedText: 'En este momento se envían demasiados formularios, así que no se hizo nada. Vuelva a intentarlo en unos segundos.',
    malformed: 'No se entendió',
    malformedText: 'El formulario no está completo.',
    unknownCursorText: (parameter: string) => `Esta dirección tiene un ${parameter} que no es un lugar de esta lista. Abra la lista desde el principio.`,
    methodNotAllowed: 'Aquí no es posible',
    methodNotAllowedText: 'Esta página no admite una solicitud así.',
    tooMany: 'Demasiados intentos',
    tooManyText: 'Hubo demasiados intentos de iniciar sesión. Vuelva a intentarlo después de',
    unavailable: 'No disponible',
    unavailableText: 'Postern no puede hacerlo en este momento. Vuelva a intentarlo en un minuto.',
    defect: 'Algo salió mal',
    defectText: 'El operador puede ver en el registro qué pasó.',
  },
}
