package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/outrank-go/outrank/examples/internal/stamp"
)

// manualCommand prints the manual, which packages of the program contain as a file. The help does not list this
// command.
func manualCommand(groups []flagGroup) *cobra.Command {
	return &cobra.Command{
		Use: "man", Short: "Print the manual, in the form that man reads", Hidden: true,
		Args: cobra.NoArgs, ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error { return writeManual(cmd.OutOrStdout(), groups) },
	}
}

// writeManual writes the manual from the flags and the texts of the help.
func writeManual(w io.Writer, groups []flagGroup) error {
	m := manual{}
	m.heading()
	m.options(groups)
	m.commands()
	m.statuses()
	m.ending()
	_, err := m.out.WriteTo(w)
	return err
}

// heading writes the name of the program and how to call it.
func (m *manual) heading() {
	m.macro("TH", "KUBECTL-WHATIF", "1", "", "kubectl-whatif "+stamp.Here().Version, "Outrank")

	m.macro("SH", "NAME")
	m.text(programName + " - who would this pod push out of the cluster, and why?")

	m.macro("SH", "SYNOPSIS")
	m.text(displayName + " [--live | --cluster FILE] [the pod] [the question] [flags]")
	m.macro("br")
	m.text(displayName + " version | clusterrole | completion bash|zsh|fish|powershell")

	m.macro("SH", "DESCRIPTION")
	m.text("Answers before anybody acts what preemption would do to a cluster, by the rules of kube-scheduler and kubelet. " +
		"It reads a dump of the cluster or asks kubectl, and writes nothing to the cluster. Without a cluster it asks about a sample that comes with it. " +
		"The same input gives the same bytes.")
}

// options writes the flags in the groups of the help.
func (m *manual) options(groups []flagGroup) {
	m.macro("SH", "OPTIONS")
	m.text("A long flag may also be written with a single dash.")
	for _, g := range groups {
		m.macro("SS", g.title)
		g.flags.VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				m.flag(f)
			}
		})
	}
}

// commands writes the subcommands for people.
func (m *manual) commands() {
	m.macro("SH", "COMMANDS")
	for _, c := range []struct{ name, says string }{
		{"version", "prints the version and the releases of Kubernetes whose rules are known; -o json and yaml are further forms"},
		{"clusterrole", "prints the ClusterRole that allows what --live reads"},
		{"completion", "writes a script that completes the command line, for bash, zsh, fish or powershell"},
	} {
		m.macro("TP")
		m.bold(c.name)
		m.text(c.says + ".")
	}
}

// statuses writes the exit statuses.
func (m *manual) statuses() {
	m.macro("SH", "EXIT STATUS")
	for _, s := range []struct{ status, says string }{
		{"0", "an answer, whatever it is; with --exit-status everything fits, and nobody has to leave"},
		{"2", "input that cannot be used; nothing is written to standard output"},
		{"3", "with --exit-status: somebody has to leave"},
		{"4", "with --exit-status: a pod finds no room"},
	} {
		m.macro("TP")
		m.bold(s.status)
		m.text(s.says + ".")
	}
}

// ending writes the examples of the help verbatim, and where to read more.
func (m *manual) ending() {
	m.macro("SH", "EXAMPLES")
	m.macro("nf")
	for line := range strings.SplitSeq(examples, "\n") {
		m.text(strings.TrimPrefix(line, "  "))
	}
	m.macro("fi")

	m.macro("SH", "SEE ALSO")
	m.text("kubectl(1), https://github.com/outrank-go/outrank")
}

// manual is a page in the troff language that man reads.
type manual struct{ out bytes.Buffer }

// escaped returns the text without anything that troff takes for a command. A dot or an apostrophe at the
// beginning of a line would begin one.
func escaped(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}

// macro writes a troff command with its arguments.
func (m *manual) macro(name string, args ...string) {
	m.out.WriteString("." + name)
	for _, a := range args {
		fmt.Fprintf(&m.out, ` "%s"`, strings.ReplaceAll(escaped(a), `"`, `\(dq`))
	}
	m.out.WriteByte('\n')
}

// text writes a line of text.
func (m *manual) text(text string) { m.out.WriteString(escaped(text) + "\n") }

// bold writes a line in bold.
func (m *manual) bold(text string) { m.out.WriteString(`\fB` + escaped(text) + "\\fR\n") }

// flag writes a flag with its value, its text and its default.
func (m *manual) flag(f *pflag.Flag) {
	value, usage := pflag.UnquoteUsage(f)
	m.macro("TP")

	if f.Shorthand != "" {
		m.out.WriteString(`\fB` + escaped("-"+f.Shorthand) + `\fR, `)
	}
	m.out.WriteString(`\fB` + escaped("--"+f.Name) + `\fR`)
	if value != "" {
		m.out.WriteString(` \fI` + escaped(value) + `\fR`)
	}
	m.out.WriteByte('\n')

	switch f.DefValue {
	case "", "false", "0", "[]":
	default:
		usage += " (default " + f.DefValue + ")"
	}
	m.text(usage + ".")
}
