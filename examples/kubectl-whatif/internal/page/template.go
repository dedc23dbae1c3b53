package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"strings"

	"github.com/outrank-go/outrank/examples/internal/screen"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
)

//go:embed page.tmpl
var pageText string

//go:embed style.css
var styleText string

//go:embed script.js
var scriptText string

// style and script are part of the program. Nothing in them comes from a cluster, so that they need no
// escaping.
var (
	style  = template.CSS("\n" + strings.Replace(styleText, "@VIEWS@\n", viewRules(), 1))
	script = template.JS("\n" + scriptText)
)

// Sources returns the sources of a content security policy that allows the style and the script of a page, and
// nothing else. A page that embeds such pages needs them for its own policy.
func Sources() (styles, scripts string) {
	return "'" + hashOf(string(style)) + "'", "'" + hashOf(string(script)) + "'"
}

// policy is the content security policy of a page. It allows this style and this script by their hashes, and
// nothing from anywhere else.
var policy = func() string {
	styles, scripts := Sources()
	return "default-src 'none'; style-src " + styles + "; script-src " + scripts + "; img-src data:; base-uri 'none'; form-action 'none'"
}()

// viewRules returns rules of the style that colour cells by the resource that the reader chose. Each view has a
// letter, and the scarcest resource has the letter z.
func viewRules() string {
	var b strings.Builder
	for _, view := range "abcdz"[:mostViews] + "z" {
		id := fmt.Sprint(view - 'a')
		if view == 'z' {
			id = "z"
		}
		for l := range mostShades + 1 {
			fmt.Fprintf(&b, "body:has(#by-%s:checked) .%c%d { background: var(--l%d); color: var(--on-l%d);", id, view, l, l, l)
			if l < 2 {
				// The lightest colours need an edge to be visible.
				b.WriteString(" border-color: var(--frame);")
			}
			b.WriteString(" }\n")
		}
	}
	return b.String()
}

// hashOf returns the hash of a text in the form of a content security policy.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// pageTemplate has the templates of both kinds of pages.
var pageTemplate = template.Must(template.New("").Funcs(template.FuncMap{
	"safe":     screen.Safe,
	"isolated": isolated,
	"pieces":   pieces,
	"plural":   console.Plural,
	"grouped":  grouped,
	"lines":    func(s string) []string { return strings.Split(s, "\n") },
	"minus":    func(a, b int) int { return a - b },
	"last":     func(i int, cells []string) bool { return i == len(cells)-1 },
}).Parse(pageText))
