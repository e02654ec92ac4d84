//! What a server gave for a call, as text with pictures beside it.

use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use serde_json::Value;
use toolkit::fault::{Error, Result};
use toolkit::{Cx, Picture};

/// Most bytes of the pictures of one result, in base64. Providers take fewer, and a record has each.
const PICTURES: usize = 8 << 20;

/// The text of a result, with its pictures beside it.
pub(super) fn result_of(result: CallToolResult, cx: &Cx<'_>) -> Result<Value> {
    let (mut texts, mut room) = (Vec::new(), PICTURES);
    for block in result.content {
        texts.push(match block {
            ContentBlock::Text(text) => text.text,
            ContentBlock::Image(image) => match mime(&image.mime_type) {
                Some(_) if image.data.len() > room => {
                    format!("[a picture of {} bytes is left out]", image.data.len())
                }
                Some(mime) => {
                    room -= image.data.len();
                    cx.show_picture(Picture { mime, base64: image.data });
                    "[the picture is beside this text]".to_owned()
                }
                None => format!("[a picture of the type {} is left out]", image.mime_type),
            },
            ContentBlock::Audio(audio) => {
                format!("[sound of the type {} is left out]", audio.mime_type)
            }
            ContentBlock::Resource(embedded) => match embedded.resource {
                ResourceContents::TextResourceContents { uri, text, .. } => {
                    format!("{uri}:\n{text}")
                }
                ResourceContents::BlobResourceContents { uri, .. } => {
                    format!("[{uri} is left out]")
                }
                _ => "[a resource is left out]".to_owned(),
            },
            ContentBlock::ResourceLink(link) => format!("[{}]({})", link.name, link.uri),
            _ => "[a part of a newer kind is left out]".to_owned(),
        });
    }
    if texts.is_empty()
        && let Some(structured) = result.structured_content
    {
        texts.push(structured.to_string());
    }
    let text = texts.join("\n");
    match result.is_error {
        Some(true) => Err(Error::server_tool_failed(&text)),
        _ => Ok(text.into()),
    }
}

/// The kinds of pictures that models take.
fn mime(given: &str) -> Option<&'static str> {
    ["image/png", "image/jpeg", "image/webp", "image/gif"].into_iter().find(|one| *one == given)
}
