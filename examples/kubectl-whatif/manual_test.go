package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
)

// The manual has every flag of the help once, and is the same each time.
func TestManual(t *testing.T) {
	text := answered(t, "", "man")
	assert.Equal(t, text, answered(t, "", "man"))
	flags := 0
	newCommand(nil).Flags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" || f.Name == "version" {
			return
		}
		flags++
		name := `\fB` + strings.ReplaceAll("--"+f.Name, "-", `\-`) + `\fR`
		assert.Len(t, regexp.MustCompile(regexp.QuoteMeta(name)+`( \\fI|\n)`).FindAllString(text, -1), 1, f.Name)
	})
	assert.Greater(t, flags, 40)
	// What begins with a dot is a request that is meant, and nothing is left of the marks in the help.
	for line := range strings.Lines(text) {
		assert.Regexp(t, `^(\.(TH|SH|SS|TP|br|nf|fi)( ".*")*\n|[^.'].*\n)$`, line)
	}
	assert.NotContains(t, text, "`")
	assert.Contains(t, text, `.TH "KUBECTL\-WHATIF" "1" "" "kubectl\-whatif (devel)" "Outrank"`)
	assert.Contains(t, text, "\\fB\\-\\-pending\\fR \\fINAMESPACE/NAME\\fR\na pending pod of the dump")
}

func TestManualEscapes(t *testing.T) {
	assert.Equal(t, `\&.hidden \e \-x`, escaped(`.hidden \ -x`))
	assert.Equal(t, `\&'quoted`, escaped("'quoted"))
}
