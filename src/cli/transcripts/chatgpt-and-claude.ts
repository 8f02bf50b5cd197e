import type { LogNode } from "../../adapters/logs/branches.ts";
import { type Log, place, roleOf, word, wordsIn } from "../../adapters/logs/logs.ts";
import { asDict, asText, type Dict, dicts, isDict } from "../../core/base.ts";

/** A conversation as a value of an export of chats; undefined for any other value. */
export function exported(value: Dict): Log | undefined {
  if (isDict(value.mapping)) return chatGpt(value, value.mapping);
  return Array.isArray(value.chat_messages) ? claudeAi(value) : undefined;
}

/** Marks of what a reply quotes stand in it between characters of private use. */
const QUOTED = /\ue200[^\ue200\ue201]*\ue201/g;

/** A conversation of ChatGPT's export, a tree of messages. */
function chatGpt(given: Dict, tree: Dict): Log {
  const nodes = [...parentsFirst(tree)].map((id): LogNode => {
    const { message, parent } = asDict(tree[id]);
    const { author, content, metadata, recipient = "all", weight, create_time } = asDict(message);
    const { role } = asDict(author);
    const { content_type: kind, parts } = asDict(content);
    const { is_visually_hidden_from_conversation: isHidden, is_user_system_message: isContext } =
      asDict(metadata);
    const isSaid =
      (role === "user" || role === "assistant") &&
      isHidden !== true &&
      isContext !== true &&
      recipient === "all" &&
      weight !== 0 &&
      (kind === "text" || kind === "multimodal_text");
    const blocks = isSaid ? word(wordsIn(parts).replace(QUOTED, "").trim()) : [];
    return { ...place(id, parent ?? null, create_time), role: roleOf(role), blocks };
  });
  return {
    ...{ by: "ChatGPT", id: asText(given.conversation_id ?? given.id ?? given.title) },
    nodes,
    leaf: asText(given.current_node) || undefined,
    model: asText(given.default_model_slug) || undefined,
    forgotten: given.is_do_not_remember === true,
  };
}

/** The names in a tree, each behind its parent's; one that leads to itself counts as a root. */
function parentsFirst(tree: Dict): ReadonlySet<string> {
  const all = new Set<string>();
  for (const id of Object.keys(tree)) {
    const way = new Set<string>();
    for (let at = id; Object.hasOwn(tree, at) && !all.has(at) && !way.has(at);) {
      way.add(at);
      at = asText(asDict(tree[at]).parent);
    }
    for (const one of [...way].reverse()) all.add(one);
  }
  return all;
}

const ROOT = "00000000-0000-4000-8000-000000000000";

/** A conversation of Claude.ai's export. What was said last stands on the branch that is read. */
function claudeAi(given: Dict): Log {
  const at = ({ created_at }: Dict): string => asText(created_at);
  const inOrder = dicts(given.chat_messages).toSorted((one, other) =>
    at(one) < at(other) ? -1 : Number(at(one) > at(other)),
  );
  const nodes = inOrder.map((message): LogNode => {
    const { uuid, parent_message_uuid: parent, sender, text, content, attachments } = message;
    const said = dicts(content).flatMap((part) => (part.type === "text" ? word(part.text) : []));
    return {
      ...place(uuid, parent === ROOT ? null : parent, message.created_at),
      role: sender === "assistant" ? sender : "user",
      blocks: [...dicts(attachments).flatMap(attached), ...(said[0] ? said : word(text))],
    };
  });
  const leaf = asText(given.current_leaf_message_uuid) || undefined;
  return { by: "Claude.ai", id: asText(given.uuid), nodes, leaf };
}

/** A long text that is pasted becomes a file: all that is kept of some messages. */
function attached({ file_name: title, extracted_content: data }: Dict): Dict[] {
  if (asText(data).trim() === "") return [];
  const source = { type: "text", media_type: "text/plain", data };
  return [{ type: "document", source, title: asText(title) || "pasted text" }];
}
