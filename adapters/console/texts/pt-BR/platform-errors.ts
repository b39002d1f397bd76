import type { PLATFORM_ERROR_TEXTS } from '../../../../core/explanations/platform-errors.js'
import type { Translated } from '../translating.js'

const LATER = 'Envie de novo mais tarde. Não é preciso mudar nada.'
const OPERATOR = 'Um operador precisa verificar o número: na página do número ou na conta comercial da plataforma.'
const TEMPLATE = 'Compare o que foi enviado com os parâmetros do modelo e envie de novo.'

/** The meaning of the platform's errors, and how to fix them. */
export const platformErrors: Translated<typeof PLATFORM_ERROR_TEXTS> = {
  tokenExpired: { means: 'O token de acesso do remetente expirou ou foi revogado.', fix: 'Salve um novo token de acesso para o remetente.' },
  permissionMissing: { means: 'Falta uma permissão ao token de acesso.', fix: 'Dê ao token a permissão de enviar mensagens ou salve outro.' },
  platformFault: {
    means: 'A plataforma teve uma falha própria.',
    fix: 'Veja a mensagem: assim que a plataforma informar sobre ela, deixará de estar sem confirmação. Uma mensagem que falhou pode ser enviada de novo.',
  },
  tooManyCalls: { means: 'Muitas mensagens foram enviadas em pouco tempo.', fix: 'Envie menos mensagens de uma vez. O Postern distribui as próprias chamadas; outros programas podem usar a mesma conta.' },
  numberGone: { means: 'O número do remetente não existe mais na plataforma.', fix: OPERATOR },
  valueRefused: { means: 'A plataforma não aceitou um valor da mensagem.', fix: 'Leia o que a plataforma diz, corrija a mensagem e envie de novo.' },
  refusedWithoutReason: { means: 'A plataforma não aceitou a mensagem e não diz por quê.', fix: 'Compare a mensagem com uma que foi enviada e mude o que for diferente.' },
  accountLocked: { means: 'A plataforma bloqueou a conta comercial.', fix: OPERATOR },
  customerBlocked: { means: 'A empresa bloqueou este cliente.', fix: 'Desbloqueie o cliente na plataforma, se foi um engano.' },
  experiment: { means: 'A plataforma retém as mensagens de marketing para este cliente como parte de um experimento.', fix: 'Não repita. Escreva quando o cliente tiver escrito.' },
  countryNotAllowed: { means: 'A conta comercial não pode escrever a clientes deste país.', fix: 'Não repita. A plataforma decide para quais países uma conta pode escrever.' },
  partMissing: { means: 'Falta uma parte da mensagem.', fix: 'Complete a mensagem e envie de novo.' },
  groupRefused: { means: 'A plataforma recusou algo relacionado a um grupo.', fix: 'Envie a um único cliente.' },
  sentToItself: { means: 'A mensagem era para o próprio remetente.', fix: 'Envie para outro número.' },
  notDeliverable: {
    means: 'Não foi possível entregar a mensagem: talvez o número não use a rede, o aplicativo do cliente seja antigo demais ou os termos não tenham sido aceitos.',
    fix: 'Confira o número. Peça ao cliente, por outro meio, que atualize o aplicativo ou que escreva para você.',
  },
  notInTestList: { means: 'O remetente é um número de teste, e este cliente não está na lista dele.', fix: 'Adicione o número à lista do número de teste na plataforma ou use um remetente real.' },
  nameNotApproved: { means: 'O nome de exibição do remetente não está aprovado.', fix: OPERATOR },
  paymentMissing: { means: 'A conta comercial não consegue pagar: falta a forma de pagamento, ela foi recusada ou chegou ao limite.', fix: 'Corrija a forma de pagamento na plataforma e envie de novo.' },
  notRegistered: { means: 'O número do remetente não está registrado na plataforma.', fix: OPERATOR },
  windowClosed: { means: 'A janela de atendimento estava fechada: faz mais de 24 horas que o cliente escreveu pela última vez.', fix: 'Em vez disso, envie um modelo aprovado.' },
  limitedAsSpam: { means: 'Clientes bloquearam ou denunciaram o remetente, por isso a plataforma o restringe.', fix: 'Pare de enviar o que os clientes não querem. A restrição termina depois de algum tempo.' },
  enoughMarketing: {
    means: 'A plataforma reteve a mensagem porque este cliente já recebeu mensagens de marketing suficientes.',
    fix: 'Não repita dentro de 24 horas.',
  },
  marketingStopped: { means: 'O cliente recusou as mensagens de marketing desta empresa.', fix: 'Não envie mensagens de marketing a este cliente.' },
  kindNotSupported: { means: 'A plataforma não aceita este tipo de mensagem.', fix: 'Envie outro tipo de mensagem.' },
  customerFileUnread: { means: 'Não foi possível ler um arquivo do cliente.', fix: 'Peça ao cliente que envie o arquivo de novo.' },
  fileUnread: { means: 'Não foi possível ler um arquivo.', fix: 'Confira o arquivo e o endereço dele e envie de novo.' },
  tooManyToCustomer: { means: 'Muitas mensagens foram enviadas a este cliente em pouco tempo.', fix: LATER },
  maintenance: { means: 'A conta do remetente está em manutenção na plataforma.', fix: LATER },
  notShown: { means: 'A plataforma não consegue mostrar aqui uma mensagem do cliente.', fix: 'Leia a mensagem no aplicativo.' },
  needsPhoneNumber: { means: 'A plataforma aceita esta mensagem só para um número de telefone, não para um ID de usuário.', fix: 'Envie para o número de telefone do cliente.' },
  marketingOff: { means: 'As mensagens de marketing estão desativadas para esta conta.', fix: OPERATOR },
  wrongCategories: {
    means: 'Muitos modelos desta conta estavam em uma categoria errada, por isso a plataforma a restringe.', fix: OPERATOR,
  },
  parameterCount: { means: 'A mensagem não tem tantos valores quantos parâmetros o modelo tem.', fix: TEMPLATE },
  noSuchTemplate: { means: 'Não há modelo aprovado com este nome neste idioma.', fix: 'Confira o nome e o idioma na lista de modelos ou espere a aprovação do modelo.' },
  templateTooLong: { means: 'O texto do modelo fica longo demais com estes valores.', fix: 'Envie com valores mais curtos.' },
  templateBreaksRule: { means: 'O modelo infringe uma regra da plataforma.', fix: 'Mude o modelo na plataforma.' },
  parameterForm: { means: 'Um valor não tem a forma que o modelo pede.', fix: TEMPLATE },
  templatePaused: { means: 'A plataforma pausou o modelo porque clientes o denunciaram ou bloquearam.', fix: 'Espere até ele voltar a ficar ativo ou melhore-o na plataforma.' },
  templateDisabled: { means: 'A plataforma desativou o modelo de vez.', fix: 'Crie outro modelo.' },
  flowBlocked: { means: 'O fluxo do modelo está bloqueado.', fix: 'Corrija o fluxo na plataforma.' },
  flowThrottled: { means: 'O fluxo do modelo foi enviado vezes demais.', fix: LATER },
  registeredLately: { means: 'O número do remetente foi registrado ou removido há pouco tempo.', fix: 'Espere alguns minutos e envie de novo.' },
  termsNotAccepted: { means: 'A empresa não aceitou os termos de pagamento da plataforma.', fix: 'Aceite os termos na plataforma e envie de novo.' },
  notEligible: { means: 'A conta não está habilitada para este tipo de mensagem de marketing.', fix: OPERATOR },
  beingSetUp: { means: 'A conta ainda não está pronta para este tipo de mensagem de marketing.', fix: LATER },
  identityChanged: {
    means: 'A identidade do cliente não é aquela para a qual a mensagem foi feita.',
    fix: 'Confirme que ainda é a mesma pessoa e envie a mensagem sem a identidade ou com a nova.',
  },
}
