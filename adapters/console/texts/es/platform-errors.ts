import type { PLATFORM_ERROR_TEXTS } from '../../../../core/explanations/platform-errors.js'
import type { Translated } from '../translating.js'

const LATER = 'Envíelo de nuevo más tarde. No hay que cambiar nada.'
const OPERATOR = 'Un operador tiene que revisar el número: en la página del número o en la cuenta de empresa de la plataforma.'
const TEMPLATE = 'Compare lo enviado con los parámetros de la plantilla y envíelo de nuevo.'

/** The meaning of the platform's errors, and how to fix them. */
export const platformErrors: Translated<typeof PLATFORM_ERROR_TEXTS> = {
  tokenExpired: { means: 'El token de acceso del remitente caducó o fue revocado.', fix: 'Guarde un nuevo token de acceso para el remitente.' },
  permissionMissing: { means: 'Al token de acceso le falta un permiso.', fix: 'Dé al token el permiso de enviar mensajes o guarde otro.' },
  platformFault: {
    means: 'La plataforma tuvo un fallo propio.',
    fix: 'Mire el mensaje: en cuanto la plataforma informe de él, dejará de estar sin confirmar. Un mensaje fallido se puede enviar de nuevo.',
  },
  tooManyCalls: { means: 'Se enviaron demasiados mensajes en poco tiempo.', fix: 'Envíe menos mensajes a la vez. Postern reparte sus propias llamadas; otros programas pueden usar la misma cuenta.' },
  numberGone: { means: 'El número del remitente ya no existe en la plataforma.', fix: OPERATOR },
  valueRefused: { means: 'La plataforma no aceptó un valor del mensaje.', fix: 'Lea lo que dice la plataforma, corrija el mensaje y envíelo de nuevo.' },
  refusedWithoutReason: { means: 'La plataforma no aceptó el mensaje y no dice por qué.', fix: 'Compare el mensaje con uno que se haya enviado bien y cambie lo que sea distinto.' },
  accountLocked: { means: 'La plataforma ha bloqueado la cuenta de empresa.', fix: OPERATOR },
  customerBlocked: { means: 'La empresa ha bloqueado a este cliente.', fix: 'Desbloquee al cliente en la plataforma, si fue un error.' },
  experiment: { means: 'La plataforma retiene los mensajes de marketing para este cliente como parte de un experimento.', fix: 'No lo repita. Escriba cuando el cliente le haya escrito.' },
  countryNotAllowed: { means: 'La cuenta de empresa no puede escribir a clientes de este país.', fix: 'No lo repita. La plataforma decide a qué países puede escribir una cuenta.' },
  partMissing: { means: 'Falta una parte del mensaje.', fix: 'Complete el mensaje y envíelo de nuevo.' },
  groupRefused: { means: 'La plataforma rechazó algo relacionado con un grupo.', fix: 'Envíe a un solo cliente.' },
  sentToItself: { means: 'El mensaje iba dirigido al propio remitente.', fix: 'Envíelo a otro número.' },
  notDeliverable: {
    means: 'No se pudo entregar el mensaje: puede que el número no use la red, que la aplicación del cliente sea demasiado antigua o que no se hayan aceptado las condiciones.',
    fix: 'Compruebe el número. Pida al cliente por otra vía que actualice la aplicación o que le escriba.',
  },
  notInTestList: { means: 'El remitente es un número de prueba, y este cliente no está en su lista.', fix: 'Añada el número a la lista del número de prueba en la plataforma o use un remitente real.' },
  nameNotApproved: { means: 'El nombre visible del remitente no está aprobado.', fix: OPERATOR },
  paymentMissing: { means: 'La cuenta de empresa no puede pagar: falta el método de pago, fue rechazado o llegó a su límite.', fix: 'Arregle el método de pago en la plataforma y envíelo de nuevo.' },
  notRegistered: { means: 'El número del remitente no está registrado en la plataforma.', fix: OPERATOR },
  windowClosed: {
    means: 'La ventana de atención estaba cerrada: han pasado más de 24 horas desde que el cliente escribió por última vez.',
    fix: 'Envíe en su lugar una plantilla aprobada.',
  },
  limitedAsSpam: { means: 'Hubo clientes que bloquearon o denunciaron al remitente, así que la plataforma lo restringe.', fix: 'Deje de enviar lo que los clientes no quieren. La restricción termina al cabo de un tiempo.' },
  enoughMarketing: {
    means: 'La plataforma retuvo el mensaje porque este cliente ya recibió suficientes mensajes de marketing.',
    fix: 'No lo repita en 24 horas.',
  },
  marketingStopped: { means: 'El cliente rechazó los mensajes de marketing de esta empresa.', fix: 'No envíe mensajes de marketing a este cliente.' },
  kindNotSupported: { means: 'La plataforma no admite este tipo de mensaje.', fix: 'Envíe otro tipo de mensaje.' },
  customerFileUnread: { means: 'No se pudo leer un archivo del cliente.', fix: 'Pida al cliente que envíe de nuevo el archivo.' },
  fileUnread: { means: 'No se pudo leer un archivo.', fix: 'Compruebe el archivo y su dirección y envíelo de nuevo.' },
  tooManyToCustomer: { means: 'Se enviaron demasiados mensajes a este cliente en poco tiempo.', fix: LATER },
  maintenance: { means: 'La cuenta del remitente está en mantenimiento en la plataforma.', fix: LATER },
  notShown: { means: 'La plataforma no puede mostrar aquí un mensaje del cliente.', fix: 'Lea el mensaje en la aplicación.' },
  needsPhoneNumber: { means: 'La plataforma acepta este mensaje solo para un número de teléfono, no para un ID de usuario.', fix: 'Envíelo al número de teléfono del cliente.' },
  marketingOff: { means: 'Los mensajes de marketing están desactivados para esta cuenta.', fix: OPERATOR },
  wrongCategories: {
    means: 'Demasiadas plantillas de esta cuenta estaban en una categoría equivocada, así que la plataforma la restringe.', fix: OPERATOR,
  },
  parameterCount: { means: 'El mensaje no tiene tantos valores como parámetros tiene la plantilla.', fix: TEMPLATE },
  noSuchTemplate: { means: 'No hay ninguna plantilla aprobada con este nombre en este idioma.', fix: 'Compruebe el nombre y el idioma en la lista de plantillas o espere a que se apruebe la plantilla.' },
  templateTooLong: { means: 'El texto de la plantilla es demasiado largo con estos valores.', fix: 'Envíela con valores más cortos.' },
  templateBreaksRule: { means: 'La plantilla incumple una regla de la plataforma.', fix: 'Cambie la plantilla en la plataforma.' },
  parameterForm: { means: 'Un valor no tiene la forma que pide la plantilla.', fix: TEMPLATE },
  templatePaused: { means: 'La plataforma puso la plantilla en pausa porque hubo clientes que la denunciaron o bloquearon.', fix: 'Espere a que vuelva a estar activa o mejórela en la plataforma.' },
  templateDisabled: { means: 'La plataforma desactivó la plantilla de forma definitiva.', fix: 'Cree otra plantilla.' },
  flowBlocked: { means: 'El flujo de la plantilla está bloqueado.', fix: 'Arregle el flujo en la plataforma.' },
  flowThrottled: { means: 'El flujo de la plantilla se envió demasiadas veces.', fix: LATER },
  registeredLately: { means: 'El número del remitente se registró o se eliminó hace poco.', fix: 'Espere unos minutos y envíelo de nuevo.' },
  termsNotAccepted: { means: 'La empresa no ha aceptado las condiciones de pago de la plataforma.', fix: 'Acepte las condiciones en la plataforma y envíelo de nuevo.' },
  notEligible: { means: 'La cuenta no está admitida para este tipo de mensajes de marketing.', fix: OPERATOR },
  beingSetUp: { means: 'La cuenta aún no está lista para este tipo de mensajes de marketing.', fix: LATER },
  identityChanged: {
    means: 'La identidad del cliente no es aquella para la que era el mensaje.',
    fix: 'Asegúrese de que sigue siendo la misma persona y envíe el mensaje sin la identidad o con la nueva.',
  },
}
