//! Files on the disk: saving replaces a whole file or nothing.
//! Lives here: paths, links, permissions, what a failure leaves behind. Not here: the bytes in a file (`fitting`).

use super::*;

#[test]
fn parameters_come_back_from_the_disk_under_dotted_names() -> Result<()> {
    let folder = Folder::new("round-trip");
    let path = folder.0.join("model.safetensors");
    let trained = model(1);
    trained.save(&path)?;
    let names = ["first.bias", "first.weights", "scale", "second.bias", "second.weights"];
    assert_eq!(Tensors::open(&path)?.names().collect::<Vec<_>>(), names);
    let mut fresh = model(2);
    assert_ne!(bits(&fresh), bits(&trained));
    fresh.load(&path)?;
    assert_eq!(bits(&fresh), bits(&trained));

    let wide: Model<f64> = trained.cast();
    wide.save(&path)?;
    let mut fresh: Model<f64> = model(2).cast();
    fresh.load(&path)?;
    assert_eq!(bits(&fresh), bits(&wide));
    assert_eq!(folder.files(), ["model.safetensors"]);
    Ok(())
}

#[test]
fn a_missing_file_and_a_folder_are_told_with_their_path() {
    let folder = Folder::new("no-file");
    let absent = folder.0.join("absent.safetensors");
    let error = Tensors::open(&absent).expect_err("it is not there").to_string();
    assert!(error.starts_with(&format!("cannot read `{}`: ", absent.display())), "{error}");
    assert!(Tensors::open(&folder.0).is_err());
    for path in [folder.0.clone(), folder.0.join("absent/x.safetensors"), std::path::PathBuf::new()] {
        let error = model(0).save(&path).expect_err("no file can be there").to_string();
        assert!(error.starts_with(&format!("cannot write `{}`: ", path.display())), "{error}");
    }
    assert!(folder.files().is_empty(), "nothing is left behind: {:?}", folder.files());
}

#[test]
fn a_write_that_fails_leaves_the_old_file_and_nothing_else() {
    let folder = Folder::new("failed-write");
    let path = folder.0.join("x.safetensors");
    fs::write(&path, "old").expect("temporary files can be written");
    let failed = replace::replace(&path, |file| {
        file.write_all(b"half of the new")?;
        Err(io::Error::other("the disk is full"))
    });
    assert_eq!(failed.map_err(|error| error.to_string()), Err("the disk is full".to_owned()));
    assert_eq!(fs::read(&path).expect("it is still there"), b"old");
    assert_eq!(folder.files(), ["x.safetensors"]);
}

#[test]
fn what_a_killed_program_left_behind_hinders_nobody() {
    let folder = Folder::new("left-behind");
    let left = |number| folder.0.join(format!(".named-tensor-{}-{number}.tmp", std::process::id()));
    for number in 0..300 {
        fs::write(left(number), "left").expect("temporary files can be written");
    }
    let path = folder.0.join("x.safetensors");
    model(0).save(&path).expect("another name is free");
    assert_eq!(fs::read(&path).expect("it is there"), bits(&model(0)));
    assert!((0..300).all(|number| fs::read(left(number)).is_ok_and(|bytes| bytes == b"left")), "it is not ours");
    assert_eq!(folder.files().len(), 301);
}

#[test]
fn a_read_only_file_is_not_replaced() {
    let folder = Folder::new("read-only");
    let path = folder.0.join("x.safetensors");
    fs::write(&path, "kept").expect("temporary files can be written");
    let mut permissions = fs::metadata(&path).expect("it is there").permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).expect("it is ours");
    let error = model(0).save(&path).expect_err("it is read-only").to_string();
    assert!(error.contains("the file is read-only"), "{error}");
    assert_eq!(fs::read(&path).expect("it is still there"), b"kept");
}

#[cfg(unix)]
#[test]
fn links_and_permissions_outlive_a_replacement() -> io::Result<()> {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = Folder::new("links");
    let (path, link) = (folder.0.join("real.safetensors"), folder.0.join("link.safetensors"));
    fs::write(&path, "old")?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640))?;
    symlink(&path, &link)?;
    model(0).save(&link).map_err(io::Error::other)?;
    assert!(fs::symlink_metadata(&link)?.is_symlink(), "the link is still a link");
    assert_eq!(fs::read(&path)?, bits(&model(0)));
    assert_eq!(fs::metadata(&path)?.permissions().mode() & 0o777, 0o640);
    Ok(())
}

#[cfg(unix)]
#[test]
fn links_that_dangle_stay_and_the_file_that_they_name_is_made() -> io::Result<()> {
    use std::os::unix::fs::symlink;
    let folder = Folder::new("dangling");
    let at = |name: &str| folder.0.join(name);
    fs::create_dir(at("other"))?;
    symlink("other/second", at("first"))?;
    symlink("../real", at("other/second"))?;
    symlink(at("first"), at("absolute"))?;
    model(0).save(at("absolute")).map_err(io::Error::other)?;
    for link in ["first", "other/second", "absolute"] {
        assert!(fs::symlink_metadata(at(link))?.is_symlink(), "{link}");
    }
    assert!(fs::symlink_metadata(at("real"))?.is_file());
    assert_eq!(fs::read(at("real"))?, bits(&model(0)));

    symlink("round", at("round"))?;
    let error = model(0).save(at("round")).expect_err("it has no end").to_string();
    assert!(error.contains("it is a link that leads nowhere"), "{error}");
    assert!(fs::symlink_metadata(at("round"))?.is_symlink());
    Ok(())
}

#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_not_replaced() -> io::Result<()> {
    use std::os::unix::fs::{FileTypeExt, symlink};
    let folder = Folder::new("pipe");
    let (pipe, link) = (folder.0.join("pipe"), folder.0.join("link"));
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status()?.success());
    symlink(&pipe, &link)?;
    for path in [&pipe, &link] {
        let error = model(0).save(path).expect_err("it is a pipe").to_string();
        let said = format!("cannot write `{}`: it is no regular file", path.display());
        assert!(error.starts_with(&said), "{error}");
    }
    assert!(fs::symlink_metadata(&pipe)?.file_type().is_fifo());
    assert_eq!(folder.files().len(), 2);
    Ok(())
}
