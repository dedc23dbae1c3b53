package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/resource"
)

func TestAmount(t *testing.T) {
	for _, tt := range []struct{ name, quantity, want string }{
		{"cpu", "3", "3"}, {"cpu", "1600m", "1.6"}, {"cpu", "1m", "0.001"}, {"cpu", "0", "0"},
		{"memory", "8Gi", "8Gi"}, {"memory", "28872Mi", "28.2Gi"}, {"memory", "1023", "1023"},
		{"memory", "62886404Ki", "60Gi"}, {"hugepages-2Mi", "4Mi", "4Mi"},
		{"nvidia.com/gpu", "2", "2"},
	} {
		if got := amount(resource.Name(tt.name), resource.MustParse(tt.quantity)); got != tt.want {
			t.Errorf("amount(%s, %s) = %s, want %s", tt.name, tt.quantity, got, tt.want)
		}
	}
}

func TestAge(t *testing.T) {
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		ago  time.Duration
		want string
	}{
		{0, "0s"}, {59 * time.Second, "59s"}, {time.Minute, "1m"}, {time.Hour - time.Second, "59m"},
		{time.Hour, "1h00m"}, {25*time.Hour + time.Minute, "1d01h"}, {-time.Second, "-"},
	} {
		if got := age(now, now.Add(-tt.ago)); got != tt.want {
			t.Errorf("the age of %s is %s, want %s", tt.ago, got, tt.want)
		}
	}
	if got := age(now, time.Time{}); got != "-" {
		t.Errorf("the age of what has not started is %s, want -", got)
	}
}

// A bar is always of one width, whatever a broken cluster holds.
func TestDraw(t *testing.T) {
	for _, tt := range []struct {
		whole float64
		parts []part
		want  string
	}{
		{4, []part{{'#', 1}, {'x', 1}}, strings.Repeat("#", 10) + strings.Repeat("x", 10) + strings.Repeat(".", 20)},
		{4, []part{{'#', 4}}, strings.Repeat("#", 40)},
		{0, nil, strings.Repeat(".", 40)},
		{0, []part{{'#', 0}}, strings.Repeat("#", 40)},
		{1, []part{{'#', 5}, {'+', 5}}, strings.Repeat("#", 40)},
		{1, []part{{'#', -1}, {'+', 1}}, strings.Repeat(".", 40)},
	} {
		if got := draw(40, tt.whole, tt.parts...); got != tt.want {
			t.Errorf("draw(%v, %v) = %s, want %s", tt.whole, tt.parts, got, tt.want)
		}
	}
}

func TestTable(t *testing.T) {
	var out bytes.Buffer
	table := console.Table{Right: map[int]bool{1: true}}
	table.Head("NAME", "N", "EMPTY", "END")
	table.Add("größe", "1", "", "x")
	table.Note("about %s", "it\n")
	table.Add("b", "20", "", "")
	table.Print(console.Page{W: &out})
	want := "  NAME    N  END\n  größe   1  x\n     about it\\n\n  b      20\n"
	if out.String() != want {
		t.Errorf("table.print writes\n%s want\n%s", out.String(), want)
	}
}

func TestProgress(t *testing.T) {
	var screen bytes.Buffer
	read := func(p *progress, size int64) {
		if _, err := p.through(strings.NewReader("0123456789"), size).Read(make([]byte, 10)); err != nil {
			t.Fatal(err)
		}
	}
	p := &progress{to: &screen, name: "dump", on: true}
	read(p, 20)
	shown := "\rreading dump: 0.0 of 0.0 MB (50%)"
	if screen.String() != shown {
		t.Errorf("after half of it the screen has %q, want %q", screen.String(), shown)
	}
	p.end()
	if want := shown + "\r" + strings.Repeat(" ", len(shown)-1) + "\r"; screen.String() != want {
		t.Errorf("at the end the screen has %q, want %q", screen.String(), want)
	}
	screen.Reset()
	p.shown = time.Time{}
	read(p, 20)
	if want := "\rreading dump: 0.0 MB"; !strings.HasPrefix(screen.String(), want) {
		t.Errorf("in a second file the screen has %q, want %q", screen.String(), want)
	}
	p.end()
	screen.Reset()
	p.shown = time.Time{}
	p.steps(3, 7)
	p.steps(4, 7)
	if want := "\rasked about 3 of 7"; screen.String() != want {
		t.Errorf("while pods are asked about the screen has %q, want %q", screen.String(), want)
	}
	quiet := &progress{to: &screen, name: "dump"}
	before := screen.Len()
	read(quiet, 20)
	quiet.end()
	if screen.Len() != before {
		t.Errorf("progress is shown where nobody watches: %q", screen.String()[before:])
	}
}
