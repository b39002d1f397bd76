import type { Language } from '../kernel/language.js'

/** The facts of a trouble, from which its sentence is written in each language. */
export type TroubleFact =
  | { readonly _tag: 'WalletEmpty' | 'WalletLow' }
  | { readonly _tag: 'MessagesFailing'; readonly failed: number; readonly ended: number }
  | { readonly _tag: 'TokenRefused' | 'TokenUnreadable'; readonly sender: string }
  | { readonly _tag: 'NumberRed'; readonly number: string }
  | { readonly _tag: 'TemplateStopped'; readonly name: string; readonly language: string; readonly status: 'paused' | 'disabled' }
  | { readonly _tag: 'TemplateRed'; readonly name: string; readonly language: string }
  | { readonly _tag: 'EndpointFailing' | 'EndpointDisabled'; readonly endpoint: string }

/** The texts of alerts in one language. */
export type AlertTexts = {
  /** The sentence of a trouble. */
  readonly sentence: (fact: TroubleFact) => string
  /** How a subject continues after its first sentence, with the number of further troubles. */
  readonly more: (others: number) => string
}

const english: AlertTexts = {
  sentence: (fact) => {
    switch (fact._tag) {
      case 'WalletEmpty': return 'The wallet is empty: it could not cover the price of a message.'
      case 'WalletLow': return 'The balance of the wallet is below its threshold.'
      case 'MessagesFailing': return `${fact.failed} of ${fact.ended} messages of the last hour failed or were refused.`
      case 'TokenUnreadable': return `The stored access token of the sender ${fact.sender} cannot be decrypted: set it again.`
      case 'TokenRefused': return `The platform refuses the access token of the sender ${fact.sender}.`
      case 'NumberRed': return `The number ${fact.number} has the quality red.`
      case 'TemplateStopped': return `The template ${fact.name} (${fact.language}) is ${fact.status}.`
      case 'TemplateRed': return `The template ${fact.name} (${fact.language}) has the quality red.`
      case 'EndpointFailing': return `Every delivery to the endpoint ${fact.endpoint} fails.`
      case 'EndpointDisabled': return `The endpoint ${fact.endpoint} was disabled, because its deliveries failed.`
    }
  },
  more: (others) => ` (and ${others} more)`,
}

const german: AlertTexts = {
  sentence: (fact) => {
    switch (fact._tag) {
      case 'WalletEmpty': return 'Das Guthaben ist aufgebraucht: Es reichte für den Preis einer Nachricht nicht aus.'
      case 'WalletLow': return 'Das Guthaben liegt unter seinem Schwellenwert.'
      case 'MessagesFailing':
        return `${fact.failed} von ${fact.ended} Nachrichten der letzten Stunde sind fehlgeschlagen oder wurden abgelehnt.`
      case 'TokenUnreadable': return `Das gespeicherte Zugriffstoken des Absenders ${fact.sender} lässt sich nicht entschlüsseln: Bitte neu speichern.`
      case 'TokenRefused': return `Die Plattform lehnt das Zugriffstoken des Absenders ${fact.sender} ab.`
      case 'NumberRed': return `Die Nummer ${fact.number} hat die Qualität Rot.`
      case 'TemplateStopped':
        return `Die Vorlage ${fact.name} (${fact.language}) ist ${fact.status === 'paused' ? 'pausiert' : 'deaktiviert'}.`
      case 'TemplateRed': return `Die Vorlage ${fact.name} (${fact.language}) hat die Qualität Rot.`
      case 'EndpointFailing': return `Jede Zustellung an den Endpunkt ${fact.endpoint} schlägt fehl.`
      case 'EndpointDisabled': return `Der Endpunkt ${fact.endpoint} wurde abgeschaltet, weil seine Zustellungen fehlschlugen.`
    }
  },
  more: (others) => ` (und ${others} weitere)`,
}

const spanish: AlertTexts = {
  sentence: (fact) => {
    switch (fact._tag) {
      case 'WalletEmpty': return 'El saldo se agotó: no alcanzó para el precio de un mensaje.'
      case 'WalletLow': return 'El saldo está por debajo de su umbral.'
      case 'MessagesFailing': return `${fact.failed} de ${fact.ended} mensajes de la última hora fallaron o fueron rechazados.`
      case 'TokenUnreadable': return `El token de acceso guardado del remitente ${fact.sender} no se puede descifrar: hay que guardarlo de nuevo.`
      case 'TokenRefused': return `La plataforma rechaza el token de acceso del remitente ${fact.sender}.`
      case 'NumberRed': return `El número ${fact.number} tiene calidad roja.`
      case 'TemplateStopped':
        return `La plantilla ${fact.name} (${fact.language}) está ${fact.status === 'paused' ? 'en pausa' : 'desactivada'}.`
      case 'TemplateRed': return `La plantilla ${fact.name} (${fact.language}) tiene calidad roja.`
      case 'EndpointFailing': return `Todas las entregas al endpoint ${fact.endpoint} fallan.`
      case 'EndpointDisabled': return `El endpoint ${fact.endpoint} se desactivó porque sus entregas fallaban.`
    }
  },
  more: (others) => ` (y ${others} más)`,
}

const portuguese: AlertTexts = {
  sentence: (fact) => {
    switch (fact._tag) {
      case 'WalletEmpty': return 'O saldo acabou: não bastou para o preço de uma mensagem.'
      case 'WalletLow': return 'O saldo está abaixo do seu limiar.'
      case 'MessagesFailing': return `${fact.failed} de ${fact.ended} mensagens da última hora falharam ou foram recusadas.`
      case 'TokenUnreadable': return `O token de acesso salvo do remetente ${fact.sender} não pode ser decifrado: salve-o de novo.`
      case 'TokenRefused': return `A plataforma recusa o token de acesso do remetente ${fact.sender}.`
      case 'NumberRed': return `O número ${fact.number} está com qualidade vermelha.`
      case 'TemplateStopped': return `O modelo ${fact.name} (${fact.language}) está ${fact.status === 'paused' ? 'pausado' : 'desativado'}.`
      case 'TemplateRed': return `O modelo ${fact.name} (${fact.language}) está com qualidade vermelha.`
      case 'EndpointFailing': return `Todas as entregas ao endpoint ${fact.endpoint} falham.`
      case 'EndpointDisabled': return `O endpoint ${fact.endpoint} foi desativado porque suas entregas falhavam.`
    }
  },
  more: (others) => ` (e mais ${others})`,
}

/** The texts of alerts. */
export const ALERT_TEXTS: Readonly<Record<Language, AlertTexts>> = { en: english, de: german, es: spanish, 'pt-BR': portuguese }
