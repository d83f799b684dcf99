//! Graphs as pictures: Mermaid, Graphviz, or an SVG that needs nothing else.

use std::fmt::Write;

use clap::ValueEnum;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Mermaid,
    Dot,
    Svg,
}

/// Nodes in the order they were reached, and edges between them.
#[derive(Default)]
pub struct Drawing {
    nodes: Vec<DrawnNode>,
    edges: Vec<DrawnEdge>,
}

struct DrawnNode {
    title: String,
    subtitle: String,
    /// Steps from the first node.
    depth: usize,
}

struct DrawnEdge {
    from: usize,
    to: usize,
    label: String,
    /// Not certain: dispatch, or by name.
    dashed: bool,
}

impl Drawing {
    /// A node by its title and where it is; one that is there already is found again.
    pub fn node(&mut self, title: String, subtitle: String, depth: usize) -> usize {
        let known = self
            .nodes
            .iter()
            .position(|node| node.title == title && node.subtitle == subtitle);
        known.unwrap_or_else(|| {
            self.nodes.push(DrawnNode {
                title,
                subtitle,
                depth,
            });
            self.nodes.len() - 1
        })
    }

    /// Something that has no place in the repository.
    pub fn library(&mut self, name: &str, depth: usize) -> usize {
        self.node(name.to_owned(), "library".to_owned(), depth)
    }

    pub fn edge(&mut self, from: usize, to: usize, label: &str, dashed: bool) {
        if !self
            .edges
            .iter()
            .any(|edge| (edge.from, edge.to) == (from, to))
        {
            self.edges.push(DrawnEdge {
                from,
                to,
                label: label.to_owned(),
                dashed,
            });
        }
    }

    pub fn draw(&self, format: Format) -> String {
        match format {
            Format::Mermaid => self.mermaid(),
            Format::Dot => self.dot(),
            Format::Svg => self.svg(),
        }
    }

    fn mermaid(&self) -> String {
        // Quotes end a label, and Mermaid reads entities; everything else inside quotes is text.
        let text = |text: &str| escape(text).replace('#', "#35;");
        let mut out = "flowchart LR\n".to_owned();
        for (i, node) in self.nodes.iter().enumerate() {
            let _ = writeln!(
                out,
                "    n{i}[\"{}<br/>{}\"]",
                text(&node.title),
                text(&node.subtitle)
            );
        }
        for edge in &self.edges {
            let arrow = if edge.dashed { "-.->" } else { "-->" };
            let label = if edge.label.is_empty() {
                String::new()
            } else {
                format!("|\"{}\"|", text(&edge.label))
            };
            let _ = writeln!(out, "    n{} {arrow}{label} n{}", edge.from, edge.to);
        }
        out
    }

    fn dot(&self) -> String {
        let text = |text: &str| {
            text.replace('\\', "\\\\")
                .replace('"', "\\\"")
                .replace(['\n', '\r'], " ")
        };
        let mut out =
            "digraph {\n    rankdir=LR;\n    node [shape=box, fontname=\"sans-serif\"];\n"
                .to_owned();
        for (i, node) in self.nodes.iter().enumerate() {
            let _ = writeln!(
                out,
                "    n{i} [label=\"{}\\n{}\"];",
                text(&node.title),
                text(&node.subtitle)
            );
        }
        for edge in &self.edges {
            let style = if edge.dashed { ", style=dashed" } else { "" };
            let _ = writeln!(
                out,
                "    n{} -> n{} [label=\"{}\"{style}];",
                edge.from,
                edge.to,
                text(&edge.label)
            );
        }
        out.push_str("}\n");
        out
    }

    /// One column per step, nodes below each other in the order they were reached.
    fn svg(&self) -> String {
        const ROW: usize = 60;
        const GAP: usize = 80;
        const LETTER: usize = 7;
        let deepest = self.nodes.iter().map(|node| node.depth).max().unwrap_or(0);
        let width_of = |node: &DrawnNode| {
            node.title
                .chars()
                .count()
                .max(node.subtitle.chars().count())
                * LETTER
                + 20
        };
        let widths: Vec<usize> = (0..=deepest)
            .map(|depth| {
                self.nodes
                    .iter()
                    .filter(|node| node.depth == depth)
                    .map(width_of)
                    .max()
                    .unwrap_or(0)
            })
            .collect();
        let mut used = vec![0; deepest + 1];
        let mut boxes = Vec::new();
        for node in &self.nodes {
            let x = 20
                + widths[..node.depth]
                    .iter()
                    .map(|width| width + GAP)
                    .sum::<usize>();
            boxes.push((x, 20 + used[node.depth] * ROW, width_of(node)));
            used[node.depth] += 1;
        }
        let width = 40
            + widths
                .iter()
                .map(|width| width + GAP)
                .sum::<usize>()
                .saturating_sub(GAP);
        let height = 40 + used.iter().max().copied().unwrap_or(0) * ROW;
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" font-family=\"monospace\" font-size=\"12\">\n\
             <defs><marker id=\"a\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#555\"/></marker></defs>\n"
        );
        for edge in &self.edges {
            let ((fx, fy, fw), (tx, ty, tw)) = (boxes[edge.from], boxes[edge.to]);
            let (x1, x2) = if fx <= tx {
                (fx + fw, tx)
            } else {
                (fx, tx + tw)
            };
            let (y1, y2, middle) = (fy + 20, ty + 20, x1.midpoint(x2));
            let dash = if edge.dashed {
                " stroke-dasharray=\"4 3\""
            } else {
                ""
            };
            let _ = writeln!(
                out,
                "<path d=\"M{x1} {y1}C{middle} {y1} {middle} {y2} {x2} {y2}\" fill=\"none\" stroke=\"#555\"{dash} marker-end=\"url(#a)\"><title>{}</title></path>",
                escape(&edge.label)
            );
        }
        for (node, (x, y, width)) in self.nodes.iter().zip(&boxes) {
            let _ = writeln!(
                out,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"40\" rx=\"4\" fill=\"#fff\" stroke=\"#333\"/>"
            );
            let _ = writeln!(
                out,
                "<text x=\"{}\" y=\"{}\">{}</text>",
                x + 10,
                y + 17,
                escape(&node.title)
            );
            let _ = writeln!(
                out,
                "<text x=\"{}\" y=\"{}\" fill=\"#777\">{}</text>",
                x + 10,
                y + 33,
                escape(&node.subtitle)
            );
        }
        out.push_str("</svg>\n");
        out
    }
}

/// Names of a repository are text, never markup.
fn escape(text: &str) -> String {
    super::paint::plain(text)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_text_in_every_format() {
        let mut drawing = Drawing::default();
        let hostile = drawing.library("a\"]; <script>\\", 0);
        let other = drawing.library("b", 1);
        drawing.edge(hostile, other, "calls", true);
        drawing.edge(hostile, other, "calls", true);
        let svg = drawing.draw(Format::Svg);
        assert!(!svg.contains("<script>") && svg.matches("stroke-dasharray").count() == 1);
        assert!(
            drawing
                .draw(Format::Dot)
                .contains(r#"label="a\"]; <script>\\\nlibrary""#)
        );
        assert!(
            drawing
                .draw(Format::Mermaid)
                .contains("a&quot;]; &lt;script&gt;\\<br/>library\"]")
        );
        assert_eq!(drawing.nodes.len(), 2);
    }
}
