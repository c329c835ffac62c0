/** Text as HTML, between tags and in attributes. */
export function escapeHtml(text: string, special = /[&<>"']/g): string {
  return text.replaceAll(special, (character) => `&#${character.charCodeAt(0)};`)
}
