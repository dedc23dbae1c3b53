package main

import "github.com/spf13/cobra"

// completing teaches the shell the values of flags.
func completing(root *cobra.Command, _ *options) {
	must(root.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp)))
}

// must is for what cannot fail but by a mistake in this program.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
