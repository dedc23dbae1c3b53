package main

import (
	_ "embed"
	"io"

	"github.com/spf13/cobra"
)

// clusterRole allows what --live reads.
//
//go:embed clusterrole.yaml
var clusterRole string

// roleCommand prints the ClusterRole.
func roleCommand() *cobra.Command {
	return &cobra.Command{
		Use: "clusterrole", Short: "Print the ClusterRole that allows what --live reads, for kubectl apply -f -",
		Args: cobra.NoArgs, ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := io.WriteString(cmd.OutOrStdout(), clusterRole)
			return err
		},
	}
}
