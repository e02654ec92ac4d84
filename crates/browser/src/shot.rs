//! Pictures of pages, of a size that models can look at.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use fault::{Error, Result};
use serde_json::{Value, json};

use crate::page::Page;

/// Most pixels of a picture, and of its longer side: models scale larger ones down, and refuse
/// those above 8,000.
const PIXELS: f64 = 4_000_000.0;
const SIDE: f64 = 7_000.0;

/// Most bytes of a picture, as it is sent to a model.
const BYTES: usize = 2 << 20;

/// A picture.
#[derive(Clone, Debug)]
pub struct Shot {
    /// PNG.
    pub png: Vec<u8>,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// How many pixels there are to one of the page, if it is not one.
    pub scale: f64,
}

/// Below this scale the text of a page cannot be read.
const LEGIBLE: f64 = 0.5;

impl Shot {
    /// That it is too small to be read, if it is.
    pub fn note(&self) -> Option<String> {
        (self.scale < LEGIBLE).then(|| {
            let percent = (self.scale * 100.0).ceil();
            format!(
                "made {percent}% of its size to fit into {PIXELS} pixels, so its text may not be \
                 legible; picture one element or what is shown, or read the page as text"
            )
        })
    }

    /// The picture that a text holds.
    pub(crate) fn of_base64(text: &str) -> Result<Self> {
        let png = BASE64_STANDARD.decode(text);
        let png = png.map_err(|e| Error::screenshot_failed(&e.to_string()))?;
        let size = size(&png).ok_or_else(|| Error::screenshot_failed("the browser gave no PNG"));
        let (width, height) = size?;
        Ok(Self { png, width, height, scale: 1.0 })
    }
}

/// What is pictured.
#[derive(Clone, Copy, Debug)]
pub enum Of<'a> {
    /// What is shown of the page.
    Viewport,
    /// All of it.
    Page,
    /// An element, by a selector or a reference.
    Element(&'a str),
}

impl Page<'_> {
    pub(crate) fn picture(&self, of: Of<'_>) -> Result<Shot> {
        self.must_work()?;
        let (x, y, width, height) = match of {
            Of::Element(selector) => self.area(selector)?,
            Of::Viewport | Of::Page => {
                let metrics = self.call(&self.session, "Page.getLayoutMetrics", json!({}))?;
                let number = |value: &Value| value.as_f64().unwrap_or_default();
                let view = &metrics["cssLayoutViewport"];
                let (wide, high) = (number(&view["clientWidth"]), number(&view["clientHeight"]));
                let all = &metrics["cssContentSize"];
                match of {
                    Of::Page => {
                        let all = (number(&all["width"]), number(&all["height"]));
                        (0.0, 0.0, all.0.max(wide), all.1.max(high))
                    }
                    _ => (number(&view["pageX"]), number(&view["pageY"]), wide, high),
                }
            }
        };
        if width < 1.0 || height < 1.0 {
            return Err(Error::screenshot_failed("there is nothing to see of it"));
        }
        let mut scale = (PIXELS / (width * height)).sqrt().min(SIDE / width.max(height)).min(1.0);
        loop {
            let clip = json!({"x": x, "y": y, "width": width, "height": height, "scale": scale});
            let params = json!({"format": "png", "clip": clip, "captureBeyondViewport": true});
            let answer = self.call(&self.session, "Page.captureScreenshot", params)?;
            let shot = Shot::of_base64(answer["data"].as_str().unwrap_or_default())?;
            if shot.png.len() <= BYTES || scale < 0.2 {
                return Ok(Shot { scale, ..shot });
            }
            scale *= 0.7;
        }
    }

    /// Where an element is in the page, after it was scrolled to.
    fn area(&self, selector: &str) -> Result<(f64, f64, f64, f64)> {
        let element = self.element(selector)?;
        let (session, object) = (&element.frame.session, json!({"objectId": element.object}));
        self.call(session, "DOM.scrollIntoViewIfNeeded", object.clone())
            .map_err(|_| Error::screenshot_failed("the element has no size"))?;
        let model = self.call(session, "DOM.getBoxModel", object)?;
        let border = &model["model"]["border"];
        let corner = |at: usize| border[at].as_f64().unwrap_or_default();
        let sides = |from: usize| {
            let all = [corner(from), corner(from + 2), corner(from + 4), corner(from + 6)];
            (all.into_iter().fold(f64::MAX, f64::min), all.into_iter().fold(f64::MIN, f64::max))
        };
        let ((left, right), (top, bottom)) = (sides(0), sides(1));
        let (left_in, top_in) = self.in_page(&element, (left, top))?;
        let metrics = self.call(&self.session, "Page.getLayoutMetrics", json!({}))?;
        let scrolled = |name: &str| metrics["cssLayoutViewport"][name].as_f64().unwrap_or_default();
        let (x, y) = (left_in + scrolled("pageX"), top_in + scrolled("pageY"));
        Ok((x, y, right - left, bottom - top))
    }
}

/// Width and height of a PNG, which its header states.
fn size(png: &[u8]) -> Option<(u32, u32)> {
    png.strip_prefix(b"\x89PNG\r\n\x1a\n")?;
    let number = |at: usize| Some(u32::from_be_bytes(png.get(at..at + 4)?.try_into().ok()?));
    Some((number(16)?, number(20)?))
}
