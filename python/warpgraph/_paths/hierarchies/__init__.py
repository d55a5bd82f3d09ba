"""What the hierarchies of wg.Hierarchy are made of: files, customization, rows."""
