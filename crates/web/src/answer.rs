//! Reading an answer, no further than its bound.

use crate::error::{Error, Result};
use crate::send::Arrived;

/// The whole body, decompressed. A few bytes may become gigabytes, so what comes out is counted.
pub(crate) async fn whole(arrived: &mut Arrived, most: u64, advice: &str) -> Result<Vec<u8>> {
    let url = arrived.url.as_str();
    if let Some(declared) = arrived.response.content_length().filter(|bytes| *bytes > most) {
        return Err(Error::too_large(url, Some(declared), most, advice));
    }
    let mut bytes = Vec::new();
    while let Some(chunk) = arrived.response.chunk().await.map_err(|e| Error::of(url, &e))? {
        if (bytes.len() + chunk.len()) as u64 > most {
            return Err(Error::too_large(url, None, most, advice));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}
