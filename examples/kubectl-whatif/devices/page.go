package main

import (
	"io"
	"strings"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/page"
	"github.com/outrank-go/outrank/preemption"
)

// writePage draws the answer about a pod. The pictures show what KEP-5690 decides; below them are the answers
// of both ways in words.
func writePage(w io.Writer, doc *Document) error {
	b := doc.Both
	in := page.Input{
		Title:  "Who leaves for " + string(doc.Pod.Key) + ", " + doc.Cluster.Release.String() + " and " + kep + "?",
		Source: doc.Cluster.Source + ", " + noRelease, Snapshot: b.snap, Explanation: b.Proposed.explained, Report: b.Proposed.Why, Now: doc.Now,
	}

	// The headline and the pictures show the proposal. The answer of the release stands before them, so that
	// nobody confuses the two.
	in.Caveats = []string{b.Release.Says + " This page draws the other way, " + noRelease + "."}
	for _, c := range doc.Caveats {
		in.Caveats = append(in.Caveats, c.text())
	}

	in.Tables = append(in.Tables, page.Table{
		Title: "Both ways", Note: "What the release does, and what it would do " + noRelease + ".",
		Columns: []page.Column{{Title: "Rules"}, {Title: "Answer"}},
		Rows:    []page.TableRow{b.Release.row(), b.Proposed.row()},
	})
	for i := range b.Short {
		in.Tables = append(in.Tables, page.Table{Title: "Devices of node " + b.Short[i].Node, Text: strings.Join(b.Short[i].Lines, "\n")})
	}
	return page.Write(w, in)
}

// row returns a way as a row of a table, with its details as notes.
func (w *way) row() page.TableRow {
	row := page.TableRow{Cells: []string{w.Rules, w.Says}}
	for i := range w.Victims {
		row.Notes = append(row.Notes, string(w.Victims[i].Key)+" leaves and frees "+orNone(w.Victims[i].Frees))
	}
	for _, g := range w.Devices {
		row.Notes = append(row.Notes, "claim "+string(g.Claim)+" gets "+some(g.Devices, mostNear))
	}
	for i := range w.Turned {
		if w.Outcome != preemption.Fits {
			row.Notes = append(row.Notes, console.Plural(w.Turned[i].Nodes, "node")+": "+reasonsOf(w.Turned[i].Reasons))
		}
	}
	if w.Plugin != "" {
		row.Notes = append(row.Notes, w.Plugin)
	}
	return row
}
