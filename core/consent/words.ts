import { plainOf } from '../kernel/text.js'

/** The words by which customers stop messages, by language: each is a whole message. */
export type OptOutWords = Readonly<Record<string, ReadonlyArray<string>>>

/**
 * The words that are understood until a workspace chooses its own. Each means only that a customer wants no more messages. Words that people also write about other
 * things, such as "cancel" or "end", are left out. "Stop promotions" is the platform's own text of the button for it.
 */
export const SHIPPED_WORDS: OptOutWords = {
  en: ['STOP', 'STOP ALL', 'STOPALL', 'UNSUBSCRIBE', 'OPT OUT', 'OPTOUT', 'STOP PROMOTIONS', 'REMOVE ME', 'NO MORE MESSAGES'],
  de: ['STOPP', 'ABMELDEN', 'ABBESTELLEN', 'KEINE WERBUNG', 'KEINE NACHRICHTEN MEHR', 'WERBUNG STOPPEN'],
  es: ['PARAR', 'BAJA', 'ALTO', 'DARME DE BAJA', 'DAR DE BAJA', 'CANCELAR SUSCRIPCIÓN', 'NO MÁS MENSAJES', 'DETENER PROMOCIONES'],
  'pt-BR': ['PARE', 'PARAR', 'SAIR', 'DESCADASTRAR', 'CANCELAR INSCRIÇÃO', 'NÃO QUERO MAIS MENSAGENS', 'PARAR PROMOÇÕES'],
  fr: ['ARRÊT', 'ARRÊTER', 'ARRÊTEZ', 'DÉSABONNER', 'ME DÉSABONNER', 'SE DÉSABONNER', 'DÉSINSCRIPTION', 'STOP PUB', 'PLUS DE MESSAGES'],
  it: ['BASTA', 'DISISCRIVIMI', 'DISISCRIVI', 'CANCELLAMI', 'ANNULLA ISCRIZIONE', 'BASTA MESSAGGI'],
  nl: ['AFMELDEN', 'UITSCHRIJVEN', 'STOPPEN', 'GEEN BERICHTEN MEER', 'GEEN RECLAME'],
  tr: ['DUR', 'DURDUR', 'RET', 'ABONELİKTEN ÇIK', 'MESAJ İSTEMİYORUM'],
  ar: ['توقف', 'إيقاف', 'أوقف', 'إلغاء الاشتراك', 'الغاء الاشتراك'],
  hi: ['रोकें', 'रुकें', 'बंद करें', 'बंद करो', 'सदस्यता समाप्त करें'],
  id: ['BERHENTI', 'BERHENTI BERLANGGANAN', 'HENTIKAN', 'STOP PROMO'],
}

/** The maximum number of words of a workspace in all languages. */
export const MAX_OPT_OUT_WORDS = 500

/** The maximum number of characters of a word, in UTF-16 units. */
export const MAX_OPT_OUT_WORD_LENGTH = 80

/** Accents and variants. The vowel signs of the scripts of India are marks too, and without them different words would be the same. */
const ACCENTS = /(?![\u0900-\u0dff])\p{M}/gu

/** The maximum length of a message that may be one of the words, in UTF-16 units. Spaces and punctuation make a message longer than its word. */
export const MAX_SAID_LENGTH = 4 * MAX_OPT_OUT_WORD_LENGTH

/** The letters and digits of a text in the form in which words are compared: without case, accents, punctuation, emoji and repeated spaces. Empty if it has none. */
export const comparedWord = (text: string): string =>
  plainOf(text.normalize('NFKD').replace(ACCENTS, '')).replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ').trim()

/** The words in the form in which they are compared. Each message of a customer is compared with them. */
const compared = new WeakMap<OptOutWords, ReadonlyMap<string, string>>()

const comparedIn = (words: OptOutWords): ReadonlyMap<string, string> => {
  const known = compared.get(words) ?? new Map(Object.values(words).flat().map((word) => [comparedWord(word), word]))
  compared.set(words, known)
  return known
}

/** The word that a message consists of; `undefined` if it says anything else or more. */
export const optOutWordIn = (text: string, words: OptOutWords): string | undefined => {
  // No word is as long as this, and a long text costs time.
  if (text.length > MAX_SAID_LENGTH) return undefined
  const said = comparedWord(text)
  return said === '' ? undefined : comparedIn(words).get(said)
}
