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
const examples = `  kubectl whatif                                            # a sample cluster, to see what answers look like
  kubectl whatif --live --pending shop/checkout-2           # who would have to leave for it, and why those?
  kubectl whatif --context prod --pending all               # what becomes of everything that waits?
  kubectl whatif --cluster dump.json -f deployment.yaml --replicas 10
  kubectl whatif --cluster dump.json --cpu 2 --memory 4Gi --class standard --why-not node-7
  kubectl whatif --cluster dump.json --set-class batch=5000 # before the class is changed
  kubectl whatif --cluster dump.json --without node-7       # before the node is drained
  ` + dumpCommand + ` |
    kubectl whatif --cluster - -f pod.yaml -o html > page.html`

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
	fmt.Fprintf(&b, "Usage: %s [--live | --cluster FILE] [the pod] [the question] [flags]\n", displayName)
	fmt.Fprintf(&b, "       %s version | completion bash|zsh|fish|powershell\n", displayName)
	for _, g := range groups {
		fmt.Fprintf(&b, "\n%s:\n%s", g.title, g.flags.FlagUsagesWrapped(helpWidth))
	}
	b.WriteString("\nA long flag may also be written with a single dash.\n\nExamples:\n" + examples + "\n")
	b.WriteString("\nExit status: 0 for an answer, also if nothing helps; 2 for input that cannot be used.\nWith --exit-status: 0 fits, 3 somebody has to leave, 4 a pod finds no room.\n")
	io.WriteString(w, b.String())
}
