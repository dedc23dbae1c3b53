package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// helpWidth is how wide the help is.
const helpWidth = 104

// examples are what most people come for.
const examples = `  kubectl whatif
  kubectl whatif --pending ml/train-2
  kubectl whatif --cpu 2 --memory 4Gi --class standard
  kubectl whatif --cpu 6 --memory 12Gi --priority 200000 --node-selector topology.kubernetes.io/zone=eu-1a
  ` + dumpCommand + ` |
    kubectl whatif --cluster - -f pod.json`

// helpful has the command say what it does, flags in groups.
func helpful(root *cobra.Command, groups []flagGroup) {
	usual := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if cmd == root {
			writeUsage(cmd.OutOrStdout(), groups)
			return
		}
		usual(cmd, args)
	})
}

func writeUsage(w io.Writer, groups []flagGroup) {
	var b strings.Builder
	b.WriteString("Who would this pod push out of the cluster I have, and why?\n\n")
	fmt.Fprintf(&b, "Usage: %s [--cluster FILE] [the pod] [flags]\n", displayName)
	fmt.Fprintf(&b, "       %s version | completion bash|zsh|fish|powershell\n", displayName)
	for _, g := range groups {
		fmt.Fprintf(&b, "\n%s:\n%s", g.title, g.flags.FlagUsagesWrapped(helpWidth))
	}
	b.WriteString("\nA long flag may also be written with a single dash.\n\nExamples:\n" + examples + "\n")
	b.WriteString("\nExit status: 0 for an answer, also if nothing helps; 2 for input that cannot be used.\nWith --exit-status: 0 fits, 3 somebody has to leave, 4 a pod finds no room.\n")
	io.WriteString(w, b.String())
}
