package main

import (
	"encoding/json"
	"fmt"
	"html"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/resource"
)

const (
	pictureFile = "../../.github/answer.svg"
	svgWidth    = 640
	svgHeight   = 26
)

// The README of the library begins with a picture of the sample answer, and quotes the first
// lines of its text below the command. -update draws the picture anew.
func TestReadmeShowsTheAnswer(t *testing.T) {
	drawn := picture(picturedIn(t, answered(t, "", "-o", "json")))
	if *update {
		require.NoError(t, os.WriteFile(pictureFile, []byte(drawn), 0o644))
	}
	kept, err := os.ReadFile(pictureFile)
	require.NoError(t, err)
	assert.Equal(t, string(kept), drawn)

	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	assert.Contains(t, string(readme), "](.github/answer.svg)\n")
	_, quoted, _ := strings.Cut(string(readme), "# the answer below")
	_, quoted, _ = strings.Cut(quoted, "```\n\n```\n")
	quoted, _, _ = strings.Cut(quoted, "```\n")
	assert.Greater(t, strings.Count(quoted, "\n"), 8)
	assert.Contains(t, answered(t, ""), quoted)
}

// pictured is the part of an answer in the picture.
type pictured struct {
	Pod      struct{ Key string }
	Decision struct{ Node string }
	Victims  []struct {
		Key      string
		Requests resource.List
	}
	Room []roomShown
}

type roomShown struct {
	Resource                         resource.Name
	Allocatable, Used, Freed, Needed resource.Quantity
}

func picturedIn(t *testing.T, text string) *pictured {
	t.Helper()
	a := new(pictured)
	require.NoError(t, json.Unmarshal([]byte(text), a))
	return a
}

// picture draws the node of an answer before and after, a bar for each of two resources.
func picture(a *pictured) string {
	var b strings.Builder
	y := 34
	fmt.Fprintf(&b, "<text x=\"0\" y=\"16\" font-weight=\"bold\">Room for %s on %s</text>\n", html.EscapeString(a.Pod.Key), html.EscapeString(a.Decision.Node))
	for _, name := range []resource.Name{resource.CPU, resource.Memory} {
		room := roomOf(a, name)
		y = svgBar(&b, y, string(name)+" before", room, segment{"stays", "stays", "#c8ccd0", room.Used.Sub(room.Freed)}, victimsIn(a, name)...)
		y = svgBar(&b, y, string(name)+" after", room, segment{"stays", "stays", "#c8ccd0", room.Used.Sub(room.Freed)},
			segment{a.Pod.Key, a.Pod.Key, "#4c9f70", room.Needed}) + 10
	}
	return fmt.Sprintf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"800\" height=\"%d\" viewBox=\"-10 -4 800 %d\" "+
		"font-family=\"sans-serif\" font-size=\"12\">\n<rect x=\"-10\" y=\"-4\" width=\"800\" height=\"%d\" fill=\"#ffffff\"/>\n%s</svg>\n", y, y, y, b.String())
}

// segment is one owner's part of a node. Victims have the number that the text gives them.
type segment struct {
	label, name, fill string
	amount            resource.Quantity
}

func victimsIn(a *pictured, name resource.Name) (out []segment) {
	for i, v := range a.Victims {
		out = append(out, segment{strconv.Itoa(i + 1), v.Key, []string{"#d1495b", "#e07a5f", "#edae49"}[i%3], v.Requests[name]})
	}
	return out
}

func roomOf(a *pictured, name resource.Name) roomShown {
	for _, r := range a.Room {
		if r.Resource == name {
			return r
		}
	}
	return roomShown{}
}

// svgBar draws the taken part of a node, and returns where the next one begins.
func svgBar(b *strings.Builder, y int, title string, room roomShown, first segment, more ...segment) int {
	fmt.Fprintf(b, "<text x=\"0\" y=\"%d\">%s</text>\n", y+17, title)
	fmt.Fprintf(b, "<rect x=\"110\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#f4f5f6\" stroke=\"#8a9097\"/>\n", y, svgWidth, svgHeight)
	x := 110.0
	for _, p := range append([]segment{first}, more...) {
		width := svgWidth * float64(p.amount.MilliValue()) / float64(room.Allocatable.MilliValue())
		fmt.Fprintf(b, "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"><title>%s: %s</title></rect>\n",
			x, y, width, svgHeight, p.fill, html.EscapeString(p.name), p.amount)
		fmt.Fprintf(b, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", x+width/2, y+17, html.EscapeString(p.label))
		x += width
	}
	return y + svgHeight + 6
}
